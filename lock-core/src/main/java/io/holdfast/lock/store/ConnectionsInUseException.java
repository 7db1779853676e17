package io.holdfast.lock.store;

/**
 * The call was not sent because this client has no connection for it: all of them are in use by its other calls, or the first one is still
 * being established. The cause of a {@link io.holdfast.lock.api.LockStoreException}; a caller with time left may try again.
 */
public final class ConnectionsInUseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean isFirst;

    /**
     * Creates an instance.
     *
     * @param cause the exception of the driver
     */
    public ConnectionsInUseException(Throwable cause) {
        this(cause, false);
    }

    /**
     * Creates an instance.
     *
     * @param cause the exception of the driver
     * @param isFirst see {@link #isFirstConnection}
     */
    public ConnectionsInUseException(Throwable cause, boolean isFirst) {
        super(cause);
        this.isFirst = isFirst;
    }

    /**
     * {@return whether the first connection is still being established} Connecting does not count towards the timeout of a command, so a
     * single try may wait for it. A store reports this for a limited time only.
     */
    public boolean isFirstConnection() {
        return isFirst;
    }
}
