package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LockedCallable;
import io.holdfast.lock.spring.coroutine.LockedRun;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of a locked method whose work goes on after the method has returned.
 *
 * @param template yields the application's template
 * @param request what to lock, and how
 * @param invocation the method
 * @param type what the method is declared to return
 * @param caller the method's short name, for messages
 * @param rules what the definition says of it
 */
public record AsyncCall(
        Supplier<LockTemplate> template,
        LockRequest request,
        MethodInvocation invocation,
        Class<?> type,
        String caller,
        Rules rules) {

    /** What the definition says of such a call. */
    public interface Rules {

        /**
         * Runs the method while the lock is held, on whichever thread that is.
         *
         * @param lock is held, and belongs to this thread until the method returns
         * @param method goes on with the call
         * @return what the method returned
         * @throws Throwable what the method throws
         */
        @Nullable
        Object run(LockHandle lock, LockedCallable<@Nullable Object, Throwable> method) throws Throwable;

        /**
         * What a call does that did not get its lock. Asked once for each acquisition that failed, on a thread that may
         * block.
         *
         * @param failure contention, or a failure of the store
         * @return what the method returns instead: of its declared type, or null for nothing
         * @throws Throwable if the call fails
         */
        @Nullable
        Object refused(Throwable failure) throws Throwable;

        /** {@return whether the result stands although the lock was lost} */
        boolean toleratesLoss();

        /**
         * The work has ended, the lock was lost meanwhile, and that is tolerated.
         *
         * @param loss for the log
         */
        void tolerated(LockLostException loss);
    }

    /** The same call, to go on at this point at any later time, any number of times. */
    AsyncCall kept() {
        MethodInvocation copy = ((ProxyMethodInvocation) invocation).invocableClone();
        return new AsyncCall(template, request, copy, type, caller, rules);
    }

    /** What watches one run of the method. */
    LockedRun begin() {
        return SuspendFunctions.begin(invocation.getMethod(), invocation.getArguments());
    }

    /** Runs the method on the thread that called it. */
    @SuppressWarnings("NullAway") // what proceeds may return null
    @Nullable
    Object run(LockHandle lock) throws Throwable {
        return rules.run(lock, invocation::proceed);
    }

    /**
     * Runs the method on any other thread. Aspects further inside may ask for the current invocation, which Spring has
     * bound to the caller's thread only.
     */
    @SuppressWarnings("NullAway") // what proceeds may return null
    @Nullable
    Object runElsewhere(LockHandle lock, LockedRun run) throws Throwable {
        ProxyMethodInvocation call = (ProxyMethodInvocation) invocation;
        MethodInvocation copy = call.invocableClone(run.arguments(lock, call.getArguments()));
        return rules.run(lock, () -> ExposeInvocationInterceptor.INSTANCE.invoke(copy));
    }
}
