package io.holdfast.lock.api;

/** What a call that releases a lock waits for. */
public enum ReleaseMode {

    /** The answer of Redis. A lock that turns out to be lost is told by {@link LockLostException}. */
    ACKNOWLEDGED,

    /**
     * Nothing: it returns when the release is on its way, which saves a round trip. A release that fails is repeated in the
     * background until the lease has ended. A loss that only Redis knows of is told by event and log, and by no exception. What this
     * client asks for next on the same key reaches Redis after the release, unless a connection breaks.
     *
     * <p>Where a store, or a driver, cannot do that, it waits: a quorum, locks in memory, several locks that are released
     * together, factories that are neither Jedis' nor Lettuce's, and Jedis' while most of its connections are in use.
     */
    SENT
}
