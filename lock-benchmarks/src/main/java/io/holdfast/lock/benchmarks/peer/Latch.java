package io.holdfast.lock.benchmarks.peer;

import redis.clients.jedis.Jedis;

/** One thread's view of a lock; used by that thread only. All of a client's latches of a key are one lock. */
public interface Latch {

    /** Waits without limit. */
    void lock();

    void unlock();

    /**
     * {@return whether Redis has this thread's lock as its own still, until a time that is yet to come; asked after the
     * measuring, and not of the peer but of Redis}
     *
     * @param redis a connection
     */
    default boolean isInRedis(Jedis redis) {
        throw new UnsupportedOperationException("Not measured for this peer");
    }
}
