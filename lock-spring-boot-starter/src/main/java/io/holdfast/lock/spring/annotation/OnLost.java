package io.holdfast.lock.spring.annotation;

/**
 * What happens if the lock of an annotated method was lost while the method was running, so that somebody else may have run at
 * the same time.
 */
public enum OnLost {
    /**
     * Throws {@link io.holdfast.lock.api.LockLostException}, to which any exception thrown by the method is added as a suppressed
     * exception. The result of the method is discarded.
     */
    THROW,
    /**
     * Like {@link #THROW}, and stops the method as soon as the loss is detected: its thread is interrupted, and the stage or
     * future it returned is cancelled. (The subscription to a publisher is also cancelled with {@link #THROW}.) A thread is
     * interrupted only while it holds the lock, and an interrupt that is still pending when the method ends is cleared; see
     * {@link io.holdfast.lock.api.LockRequest#interruptOnLoss(boolean)}.
     */
    INTERRUPT,
    /**
     * Logs a warning, and returns the result of the method, or throws its exception. For work that may safely run twice. Does
     * not help in a transaction, which is rolled back anyway once its lock has been lost.
     */
    LOG
}
