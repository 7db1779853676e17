package io.holdfast.lock.benchmarks.peer;

import redis.clients.jedis.Jedis;

/** One thread's view of a lock; used by that thread only. All latches of one client for the same key are one lock. */
public interface Latch {

    /** Waits forever. */
    void lock();

    void unlock();

    /**
     * {@return whether Redis still has this thread's lock, as held by this thread and with an expiry in the future; checked after
     * the measurement, in Redis and not through the peer}
     *
     * @param redis a connection
     */
    default boolean isInRedis(Jedis redis) {
        throw new UnsupportedOperationException("Not measured for this peer");
    }
}
