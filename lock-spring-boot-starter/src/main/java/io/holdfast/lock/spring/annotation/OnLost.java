package io.holdfast.lock.spring.annotation;

/**
 * What an annotated method does when it has ended, and its lock turns out to have been lost meanwhile: somebody else may
 * have run at the same time.
 */
public enum OnLost {
    /**
     * {@link io.holdfast.lock.api.LockLostException}, with what the method threw itself suppressed inside. Its result is
     * dropped.
     */
    THROW,
    /**
     * A line at WARN; the method's result is returned, or its own exception thrown. For work that does no harm when it is
     * done twice.
     */
    LOG
}
