package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * Redis did not do what was asked: it cannot be reached, timed out, or refused (READONLY, NOPERM, OOM, LOADING …). The
 * message says what to check; the cause, where there is one, is the driver's own exception or the failure that another
 * thread met.
 *
 * <p>Nothing has changed for the caller: who wanted to acquire has not got the lock, and keeps a hold that its thread had
 * before; who wanted to {@link LockHandle#extend extend} holds the lock until its former deadline. After
 * {@link LockTemplate#inspect inspect} and {@link LockTemplate#forceRelease forceRelease} it says nothing about who holds
 * the lock.
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
     * Holdfast undoes such an acquisition in the background; an extension or a forced release may have happened.
     *
     * @return false if the store certainly refused
     */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }
}
