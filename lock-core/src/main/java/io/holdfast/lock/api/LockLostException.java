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
                + reason(cause);
    }

    private static String reason(LossCause cause) {
        return switch (cause) {
            case EXPIRED ->
                "its lease ran out before a renewal was acknowledged. Check that Redis answers and that this process"
                        + " was not stopped for longer than the lease.";
            case LIMIT_REACHED ->
                "the work took longer than its fixed lease or maxHold. Raise the limit, or let the lease be renewed.";
            case REVOKED ->
                "the store says that it is not held by this handle. It was released by force, or the store lost data.";
            case THREAD_DIED ->
                "the thread that it was bound to ended without releasing it. Unlock in a finally block.";
            case CLOSED -> "the lock client was closed.";
        };
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
