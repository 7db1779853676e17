package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * The parent of everything that Holdfast throws of its own. Its children are different outcomes, to be handled
 * differently: {@link LockNotAcquiredException} (somebody else has it), {@link LockStoreException} (Redis did not do
 * it), {@link LockLostException} (it was held and is no longer), {@link LockInterruptedException} (the caller was
 * interrupted), {@link LockOverloadException} (too many wait), {@link LockKeyException} (the key makes no sense).
 */
public abstract class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
