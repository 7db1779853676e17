package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** One call of a locked method. Its work may continue after the method has returned, or begin later, and more than once. */
public interface LockedCall {

    /** {@return the application's template} */
    LockTemplate template();

    /** {@return what to lock, and how} */
    LockRequest request();

    /** {@return the call of the method} */
    MethodInvocation invocation();

    /**
     * Runs the method while the lock is held, on any thread. Aspects further in may request the current invocation, which Spring has
     * bound to the caller's thread only.
     *
     * @param lock the held lock, which belongs to this thread until the method returns
     * @param arguments for the method
     * @return what the method returned
     * @throws Throwable what the method throws
     */
    @Nullable
    Object runElsewhere(LockHandle lock, @Nullable Object[] arguments) throws Throwable;

    /**
     * Decides what a call does if it did not acquire its lock. Called once for each failed acquisition, on a thread that may block.
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
     * Called when the work has ended. A tolerated loss is logged.
     *
     * @param own the failure of the work
     * @param ofRelease the failure of the release: the loss of the lock, or another failure
     * @return the failure to report to the caller: the loss, with the failure of the work as a suppressed exception, unless the work has
     *     failed with that loss or the loss is tolerated
     */
    @Nullable
    Throwable outcome(@Nullable Throwable own, @Nullable Throwable ofRelease);

    /**
     * Completes a future.
     *
     * @param result what to complete
     * @param value the result of the work; not used if it failed
     * @param failure the failure to report; null if there is none
     */
    @SuppressWarnings("NullAway") // null only if T allows it
    static <T extends @Nullable Object> void complete(
            CompletableFuture<T> result, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }

    /**
     * {@return the failure of a call whose work did not begin}
     *
     * @param method the method of the template that should have called it
     * @param problem what the method did instead
     */
    static IllegalStateException notCalled(String method, String problem) {
        return new IllegalStateException("LockTemplate." + method + " " + problem
                + ", so the method was not called. If the template is a mock, stub " + method
                + "; or use @AutoConfigureTestLocks from lock-spring-boot-test, which needs no Redis.");
    }
}
