package io.holdfast.lock.spring.annotation;

/** What an annotated method does when its lock is not free in time. */
public enum OnContention {
    /** {@link io.holdfast.lock.api.LockNotAcquiredException}. */
    THROW,
    /**
     * The method does not run, and returns nothing: void, {@link java.util.Optional#empty()}, a completed stage of null,
     * or null. A method that returns a primitive cannot be skipped; that fails startup.
     */
    SKIP
}
