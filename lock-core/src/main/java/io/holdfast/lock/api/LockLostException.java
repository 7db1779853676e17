package io.holdfast.lock.api;

/**
 * A held lock was lost before its holder released it, and somebody else may hold it now. Thrown when the holder checks or
 * releases the lock. An exception thrown by the guarded code is added as a {@linkplain #getSuppressed() suppressed} exception.
 */
public final class LockLostException extends LockException {

    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final LossCause lossCause;
    private final long fencingToken;

    /**
     * Creates an instance.
     *
     * @param loss the lost lock and the cause
     */
    public LockLostException(LockEvent.Lost loss) {
        super(
                "Lock '" + loss.key() + "' (fencing token " + loss.fencingToken() + ") was lost after "
                        + DurationText.of(loss.heldFor()) + ": " + loss.cause().explanation(),
                loss.failure());
        this.key = loss.key();
        this.lossCause = loss.cause();
        this.fencingToken = loss.fencingToken();
    }

    /** {@return the lost lock} */
    public LockKey key() {
        return key;
    }

    /** {@return why it was lost} */
    public LossCause lossCause() {
        return lossCause;
    }

    /** {@return the token of the lost lock; later holders have a greater one} */
    public long fencingToken() {
        return fencingToken;
    }
}
