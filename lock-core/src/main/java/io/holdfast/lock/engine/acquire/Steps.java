package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;

/**
 * An acquisition in steps. No step waits for a lock; the wait is between two steps: the thread that wants the lock parks, or a
 * timer is set and no thread waits. Only one thread at a time runs steps.
 */
public interface Steps {

    /**
     * Lines up behind others of this client, if it has not begun. Makes no call, so it may be called where blocking is
     * forbidden; if it is not called, the first step lines up.
     */
    default void lineUp() {}

    /**
     * Continues as far as it can without waiting. The caller's {@linkplain Caller#waiter waiter} is run when it can continue.
     *
     * @return for how long to wait at most before the next step, in nanoseconds; 0 if there is a {@link #result}
     * @throws InterruptedException if the thread was interrupted before or meanwhile, and the caller is interruptible; it is
     *     over then, as it is after any other exception
     */
    long proceed() throws InterruptedException;

    /**
     * Gives up instead of continuing to wait. Does nothing if it is too late: then there is another step, which may get the lock.
     *
     * @param e why
     * @throws InterruptedException the same, once nothing is left behind
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
