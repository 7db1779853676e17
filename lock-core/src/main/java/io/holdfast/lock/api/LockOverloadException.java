package io.holdfast.lock.api;

/**
 * The call was rejected because too many calls from this client are already waiting, for locks in general or for this lock. Shed
 * load, or try again later.
 */
public final class LockOverloadException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an instance.
     *
     * @param message which limit was reached, and what to do
     */
    public LockOverloadException(String message) {
        super(message, null);
    }
}
