package io.holdfast.lock.spring.annotation;

/**
 * What becomes of an annotated method whose lock was lost while it ran: somebody else may have run at the same time.
 */
public enum OnLost {
    /**
     * {@link io.holdfast.lock.api.LockLostException}, with what the method threw itself suppressed inside. Its result is
     * dropped.
     */
    THROW,
    /**
     * As {@link #THROW}, and the method is stopped as soon as the loss is known: its thread is interrupted, the stage or future
     * that it returned is cancelled, as is the subscription to its publisher with {@link #THROW} too. A thread is interrupted
     * only while it holds the lock, and an interrupt that the method did not notice is gone when it has ended, see
     * {@link io.holdfast.lock.api.LockRequest#interruptOnLoss(boolean)}.
     */
    INTERRUPT,
    /**
     * A line at WARN; the method's result is returned, or its own exception thrown. For work that does no harm when it is
     * done twice. A method that runs in a transaction cannot have it: that is not committed under a lost lock.
     */
    LOG
}
