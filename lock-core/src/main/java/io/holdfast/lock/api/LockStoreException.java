package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * Redis failed: it could not be reached, timed out, or returned an error (READONLY, NOPERM, OOM, LOADING …). The message says
 * what to check; the cause, if any, is the exception of the driver, or the failure of another thread.
 *
 * <p>Nothing has changed for the caller: a failed acquisition does not hold the lock, and leaves earlier holds of its thread
 * intact; after a failed {@link LockHandle#extend extend} the lock is held until its previous deadline. After {@link
 * LockTemplate#inspect inspect} and {@link LockTemplate#forceRelease forceRelease} the holder of the lock is unknown.
 */
public final class LockStoreException extends LockException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    /**
     * Creates an instance.
     *
     * @param message what happened, and what to check
     * @param cause the driver's exception, or null
     * @param outcomeUnknown whether the store may have carried out the command anyway
     */
    public LockStoreException(String message, @Nullable Throwable cause, boolean outcomeUnknown) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
    }

    /**
     * Whether the store may have carried out the command although no reply arrived (a timeout, a broken connection). Holdfast
     * undoes such an acquisition in the background; an extension or a forced release may have taken effect.
     *
     * @return false if the store certainly refused
     */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }
}
