package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * Superclass of all Holdfast exceptions. Each subclass is an outcome that needs its own handling: {@link
 * LockNotAcquiredException} (somebody else holds the lock), {@link LockStoreException} (Redis failed), {@link LockLostException}
 * (the lock was held and has been lost), {@link LockInterruptedException} (the caller was interrupted), {@link
 * LockOverloadException} (too many callers are waiting), {@link LockKeyException} (invalid key).
 */
public abstract class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
