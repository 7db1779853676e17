package io.holdfast.lock.api;

/** How a lock is held: alone, or together with others. */
public enum LockMode {
    /** Nobody else holds the lock. A mutex, or the write lock of a read-write lock. */
    EXCLUSIVE,
    /**
     * Nobody holds the lock {@link #EXCLUSIVE}, and fewer than the request's limit hold it {@code SHARED}. Without a
     * limit this is the read lock of a read-write lock; with limit <i>n</i> a semaphore of <i>n</i> permits.
     */
    SHARED
}
