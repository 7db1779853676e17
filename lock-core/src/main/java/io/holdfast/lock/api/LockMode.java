package io.holdfast.lock.api;

/** How a lock is held: exclusively, or together with others. */
public enum LockMode {
    /** No other holder is admitted: a mutex, or the write lock of a read-write lock. */
    EXCLUSIVE,
    /**
     * Other shared holders are admitted, up to the limit of the request, but no exclusive holder. Without a limit this is the
     * read lock of a read-write lock; with limit <i>n</i> it is a semaphore with <i>n</i> permits.
     */
    SHARED
}
