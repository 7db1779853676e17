package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * The thread was interrupted while waiting for a lock. It does not hold the lock, and its interrupt flag is set.
 */
public final class LockInterruptedException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an instance.
     *
     * @param key the key it was waiting for
     * @param cause the interrupt, or null
     */
    public LockInterruptedException(LockKey key, @Nullable Throwable cause) {
        super("Interrupted while waiting for lock '" + key + "'.", cause);
    }
}
