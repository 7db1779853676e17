package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;

/**
 * An acquisition in steps. No step waits for a lock; waiting happens between two steps: the thread that wants the lock parks,
 * or a timer is set and no thread waits. Only one thread at a time runs steps.
 */
public interface Steps {

    /**
     * Lines up behind other callers of this client, unless the acquisition has begun. Makes no call to the store, so it
     * may be called where blocking is forbidden. If it is not called, the first step does this.
     */
    default void lineUp() {}

    /**
     * Continues as far as possible without waiting. The caller's {@linkplain Caller#waiter waiter} is run when the
     * acquisition can continue.
     *
     * @return the maximum time to wait before the next step, in nanoseconds; 0 if there is a {@link #result}
     * @throws InterruptedException if the thread was interrupted before or during the step, and the caller is interruptible;
     *     the acquisition is then over, as after any other exception
     */
    long proceed() throws InterruptedException;

    /**
     * Gives up instead of continuing to wait. Does nothing if it is too late: then another step follows, which may get the lock.
     *
     * @param e why
     * @throws InterruptedException the given exception, once nothing is left behind
     */
    void interrupt(InterruptedException e) throws InterruptedException;

    /**
     * Ends the acquisition after a failure between two steps, in the background, whatever its state.
     *
     * @param why the failure
     */
    void abandon(Throwable why);

    /** The outcome. */
    AcquireResult result();
}
