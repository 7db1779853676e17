package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * Redis did not do what was asked: it cannot be reached, timed out, or refused (READONLY, NOPERM, OOM, LOADING …). The
 * lock is not held. The cause is the driver's own exception; the message says what to check.
 */
public final class LockStoreException extends LockException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    /**
     * Creates an instance.
     *
     * @param message what happened and what to check
     * @param cause the driver's exception, or null
     * @param outcomeUnknown whether the store may have done it all the same
     */
    public LockStoreException(String message, @Nullable Throwable cause, boolean outcomeUnknown) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
    }

    /**
     * Whether the store may have carried out the command although no answer came (a timeout, a broken connection).
     * Holdfast undoes such an acquisition in the background.
     *
     * @return false if the store certainly refused
     */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }
}
