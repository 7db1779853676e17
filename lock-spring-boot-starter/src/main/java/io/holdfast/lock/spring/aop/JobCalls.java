package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockedCallable;
import io.holdfast.lock.spring.definition.LockOperation;
import java.util.Optional;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/** The rules for calls of jobs, which decide whether such a call runs, and record its run. */
public interface JobCalls {

    /** The name of the bean, which is created for the first job: an application without jobs does not load it. */
    String BEAN = "holdfastJobs";

    /**
     * {@return the rules; empty in a test without the auto-configuration of jobs, or with a mock in their place}
     *
     * @param beans contains the rules
     */
    static Optional<JobCalls> in(BeanFactory beans) {
        return beans.containsBean(BEAN) && beans.getBean(BEAN) instanceof JobCalls jobs
                ? Optional.of(jobs)
                : Optional.empty();
    }

    /**
     * Reports what is wrong with a job, and which rule applies to it.
     *
     * @param operation its method
     * @param bean its bean; null if it has not been created
     * @throws io.holdfast.lock.spring.LockConfigurationException if it must not run as it is
     */
    void check(LockOperation operation, @Nullable Object bean);

    /** One call of a job. Used by one thread. */
    interface Call {

        /**
         * Acquires the lock, if the job is due.
         *
         * @return the handle, to be closed by the caller; empty if the call is skipped
         */
        Optional<LockHandle> acquire();

        /**
         * Runs the method and records how it ended, while the lock is held.
         *
         * @param method the method
         * @return its result
         * @throws Throwable what it throws
         */
        @Nullable
        Object run(LockedCallable<@Nullable Object, Throwable> method) throws Throwable;
    }

    /**
     * {@return the rules of a call; empty if the method has no schedule, so that it is locked as any other}
     *
     * @param operation the method, a {@linkplain LockOperation#isJob job}
     * @param invocation the call
     * @param request what it would lock
     */
    Optional<Call> of(LockOperation operation, MethodInvocation invocation, LockRequest request);
}
