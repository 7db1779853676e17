package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LockedCallable;
import java.util.Arrays;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of a locked method whose work continues after the method has returned.
 *
 * @param template yields the application's template
 * @param request what to lock, and how
 * @param invocation the method
 * @param type the declared return type of the method
 * @param caller the method's short name, for messages
 * @param rules the rules of its definition
 */
public record AsyncCall(
        Supplier<LockTemplate> template,
        LockRequest request,
        MethodInvocation invocation,
        Class<?> type,
        String caller,
        Rules rules) {

    /** The rules of the definition for such a call. */
    public interface Rules {

        /**
         * Runs the method while the lock is held, on whichever thread that is.
         *
         * @param lock the held lock, which belongs to this thread until the method returns
         * @param method continues the call
         * @return what the method returned
         * @throws Throwable what the method throws
         */
        @Nullable
        Object run(LockHandle lock, LockedCallable<@Nullable Object, Throwable> method) throws Throwable;

        /**
         * Decides what a call does if it did not acquire its lock. Called once for each failed acquisition, on a thread that may
         * block.
         *
         * @param failure contention, or a failure of the store
         * @return what the method returns instead: of its declared type, or null for nothing
         * @throws Throwable if the call fails
         */
        @Nullable
        Object refused(Throwable failure) throws Throwable;

        /** {@return whether the result is used although the lock was lost} */
        boolean toleratesLoss();

        /**
         * Called when the work has ended and its lock was lost in the meantime.
         *
         * @param loss for the log, if it is tolerated
         * @return whether it is tolerated
         */
        boolean tolerates(LockLostException loss);

        /**
         * {@return the failure to report to the caller: the loss, with the failure of the work as a suppressed exception, unless
         * the work has failed with that loss or the loss is tolerated}
         *
         * @param own the failure of the work
         * @param ofRelease the failure of the release: the loss of the lock, or another failure
         */
        default @Nullable Throwable outcome(@Nullable Throwable own, @Nullable Throwable ofRelease) {
            if (ofRelease == null) {
                return own;
            }
            if (ofRelease instanceof LockLostException loss) {
                boolean known = own instanceof LockLostException same
                        && same.key().equals(loss.key())
                        && same.fencingToken() == loss.fencingToken();
                if (known || tolerates(loss)) {
                    return own;
                }
            }
            boolean isAdded = Arrays.asList(ofRelease.getSuppressed()).contains(own); // by the template
            if (own != null && own != ofRelease && !isAdded) {
                ofRelease.addSuppressed(own);
            }
            return ofRelease;
        }
    }

    /** {@return the same call, which can continue from this point at any later time, any number of times} */
    public AsyncCall kept() {
        MethodInvocation copy = ((ProxyMethodInvocation) invocation).invocableClone();
        return new AsyncCall(template, request, copy, type, caller, rules);
    }

    /**
     * Runs the method on any other thread. Aspects further in may request the current invocation, which Spring has bound to the
     * caller's thread only.
     *
     * @param lock the lock that is held while the method runs
     * @param arguments for the method
     * @return what the method returned
     * @throws Throwable what the method throws
     */
    @SuppressWarnings("NullAway") // proceed() may return null
    public @Nullable Object runElsewhere(LockHandle lock, @Nullable Object[] arguments) throws Throwable {
        ProxyMethodInvocation call = (ProxyMethodInvocation) invocation;
        MethodInvocation copy = call.invocableClone(arguments);
        return rules.run(lock, () -> ExposeInvocationInterceptor.INSTANCE.invoke(copy));
    }
}
