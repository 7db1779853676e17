package io.holdfast.lock.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A lock was held and is no longer, although its holder had not released it. Somebody else may have it since. Thrown at
 * the holder's first question or at release. What the guarded code itself threw is {@linkplain #getSuppressed()
 * suppressed} inside.
 */
public final class LockLostException extends LockException {

    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final LossCause lossCause;
    private final long fencingToken;

    /**
     * Creates an instance.
     *
     * @param loss what was lost, and why
     */
    public LockLostException(LockEvent.Lost loss) {
        super(message(loss.key(), loss.cause(), loss.held(), loss.fencingToken()), loss.failure());
        this.key = loss.key();
        this.lossCause = loss.cause();
        this.fencingToken = loss.fencingToken();
    }

    private static String message(LockKey key, LossCause cause, Duration held, long token) {
        return "Lock '" + key + "' (fencing token " + token + ") was lost after " + held.toMillis() + " ms: "
                + cause.explanation();
    }

    /** {@return what was lost} */
    public LockKey key() {
        return key;
    }

    /** {@return why it was lost} */
    public LossCause lossCause() {
        return lossCause;
    }

    /** {@return the token that the lost lock had; whoever got the lock since has a greater one} */
    public long fencingToken() {
        return fencingToken;
    }

    /**
     * {@return this, with the failure suppressed inside}
     *
     * @param failure what the guarded code threw, or null
     */
    public LockLostException suppressing(@Nullable Throwable failure) {
        if (failure != null && failure != this) {
            addSuppressed(failure);
        }
        return this;
    }
}
