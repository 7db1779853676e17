package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/** A key is invalid: null, blank, too long, or an expression that does not evaluate to a key. Nothing was locked. */
public final class LockKeyException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an instance.
     *
     * @param message what is wrong and what to do
     */
    public LockKeyException(String message) {
        this(message, null);
    }

    /**
     * Creates an instance.
     *
     * @param message what is wrong and what to do
     * @param cause the cause, or null
     */
    public LockKeyException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
