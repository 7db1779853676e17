package io.holdfast.lock.store;

/**
 * Receives the messages of a store to one client. All of them are hints: any may be lost, or late. Called on the store's threads: must
 * return quickly, must not block, and must not throw.
 */
public interface WakeListener {

    /**
     * The lock that an acquisition waits for is reserved for it.
     *
     * @param sequence the sequence in the acquisition's {@link OwnerId}
     * @param reservation the grant
     */
    void granted(long sequence, Reservation reservation);

    /**
     * A caller has queued behind an acquisition that holds its lock and has reserved more than one token.
     *
     * @param sequence the sequence in the holder's {@link OwnerId}
     * @param waiters which callers wait
     */
    void awaited(long sequence, Waiters waiters);

    /**
     * The lock that an acquisition holds may have been released by {@linkplain LockStore#forceRelease force}. Ignored by default, since the
     * next renewal detects it as well.
     *
     * @param sequence the sequence in the holder's {@link OwnerId}
     */
    default void revoked(long sequence) {}

    /** Messages arrive from now on; earlier ones may have been lost. */
    void connected();

    /** Messages do not arrive until the store has reconnected, which it does automatically. */
    void disconnected();
}
