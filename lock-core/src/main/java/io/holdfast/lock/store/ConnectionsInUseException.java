package io.holdfast.lock.store;

/**
 * Why a call was not sent: all connections that this client may have are in use by its other calls. The cause of a
 * {@link io.holdfast.lock.api.LockStoreException}; who has time left may try again.
 */
public final class ConnectionsInUseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an instance.
     *
     * @param cause what the driver says
     */
    public ConnectionsInUseException(Throwable cause) {
        super(cause);
    }
}
