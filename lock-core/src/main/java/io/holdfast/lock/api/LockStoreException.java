package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * Redis failed: it could not be reached, timed out, or returned an error (READONLY, NOPERM, OOM, LOADING …). The message states what to
 * check; the cause, if any, is the exception thrown by the driver, or the failure of another thread.
 *
 * <p>The state of the caller is unchanged: after a failed acquisition it does not hold the lock, and earlier holds of its
 * thread are intact; after a failed {@link LockHandle#extend extend} the lock is held until its previous deadline. After a
 * failed {@link LockTemplate#inspect inspect} or {@link LockTemplate#forceRelease forceRelease} the holder of the lock is
 * unknown.
 */
public final class LockStoreException extends LockException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    /**
     * Creates an instance.
     *
     * @param message what happened, and what to check
     * @param cause the exception thrown by the driver, or null
     * @param outcomeUnknown whether the store may have carried out the command anyway
     */
    public LockStoreException(String message, @Nullable Throwable cause, boolean outcomeUnknown) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
    }

    /**
     * Whether the store may have carried out the command although no reply arrived (because of a timeout or a broken
     * connection). Holdfast undoes such an acquisition in the background; an extension or a forced release may have taken
     * effect.
     *
     * @return false if the store is known not to have carried it out, or if its reply arrived but was useless, such as a grant after the
     *     end of its lease
     */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }
}
