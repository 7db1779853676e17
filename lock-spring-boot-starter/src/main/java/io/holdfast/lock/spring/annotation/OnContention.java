package io.holdfast.lock.spring.annotation;

/** What an annotated method does if its lock is not acquired in time. */
public enum OnContention {
    /** Throws {@link io.holdfast.lock.api.LockNotAcquiredException}. */
    THROW,
    /**
     * Skips the method, and returns nothing: void, {@link java.util.Optional#empty()}, a stage completed with null, or null. A
     * method that returns a primitive cannot be skipped, and causes startup to fail.
     */
    SKIP
}
