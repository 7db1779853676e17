package io.holdfast.lock.store;

/**
 * Receives the messages of a store to one client. All of them are hints, any of which may be lost or late. Called on the
 * store's threads: must be quick, must not block, and must not throw.
 */
public interface WakeListener {

    /**
     * The lock that an acquisition waits for is reserved for it.
     *
     * @param sequence of the acquisition's {@link OwnerId}
     * @param reservation the grant
     */
    void granted(long sequence, Reservation reservation);

    /**
     * Somebody has taken an entry behind an acquisition that holds its lock, and reserved more than one token.
     *
     * @param sequence of the holder's {@link OwnerId}
     * @param waiters who waits
     */
    void awaited(long sequence, Waiters waiters);

    /**
     * The lock that an acquisition holds may have been taken away from it, by {@link LockStore#forceRelease force}. Ignored
     * unless overridden: the next renewal says so as well.
     *
     * @param sequence of the holder's {@link OwnerId}
     */
    default void revoked(long sequence) {}

    /** From now on hints arrive; those of the time before may have been lost. */
    void connected();

    /** Hints do not arrive until the store has connected again, which it tries by itself. */
    void disconnected();
}
