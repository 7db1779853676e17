package io.holdfast.lock.api;

/** What a release waits for. */
public enum ReleaseMode {

    /** The reply from Redis. If it says that the lock was lost, the call throws {@link LockLostException}. */
    ACKNOWLEDGED,

    /**
     * Nothing: the call returns once the release has been sent, which saves a round trip. A failed release is retried in the
     * background until the lease has expired. A loss that only Redis knows about is logged and reported as an event, but not
     * thrown. Later calls from this client for the same key reach Redis after the release, unless a connection breaks.
     *
     * <p>In these cases the release is acknowledged instead: on a quorum, with the in-memory store, for several locks released
     * together, with connection factories other than those of Jedis and Lettuce, and with Jedis while most of its connections
     * are in use.
     */
    SENT
}
