package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * The thread was interrupted while it waited for a lock. The lock is not held, nothing is left behind, and the
 * thread's interrupt flag is set.
 */
public final class LockInterruptedException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an instance.
     *
     * @param key the key that was waited for
     * @param cause the interrupt, or null
     */
    public LockInterruptedException(LockKey key, @Nullable Throwable cause) {
        super("Interrupted while waiting for lock '" + key + "'.", cause);
    }
}
