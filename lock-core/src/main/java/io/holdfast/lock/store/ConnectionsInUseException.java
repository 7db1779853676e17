package io.holdfast.lock.store;

/**
 * The call was not sent because all connections of this client are in use by its other calls. The cause of a
 * {@link io.holdfast.lock.api.LockStoreException}; a caller with time left may try again.
 */
public final class ConnectionsInUseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an instance.
     *
     * @param cause the exception of the driver
     */
    public ConnectionsInUseException(Throwable cause) {
        super(cause);
    }
}
