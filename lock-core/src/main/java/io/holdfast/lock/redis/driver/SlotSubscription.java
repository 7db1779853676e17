package io.holdfast.lock.redis.driver;

import java.util.List;

/**
 * A connection to one server of a cluster, for channels in its slots ({@code SSUBSCRIBE}, from Redis 7). All methods throw the driver's
 * exceptions.
 */
public interface SlotSubscription extends AutoCloseable {

    /** Subscribes to a channel, again if there is a subscription: the server confirms each. For any thread. */
    void add(byte[] channel);

    /**
     * Waits for what the server sends next, on one thread only. Fails if the connection breaks, or is silent for too long, or the server
     * rejects a subscription.
     *
     * @return what it is, as bytes: {@code smessage}, {@code ssubscribe} for a confirmation, or {@code sunsubscribe} if the server no longer
     *     has the slot; the channel, as bytes; and the bytes of the message, or a number
     */
    List<?> next();

    /** Ends all subscriptions, from any thread, without sending anything. */
    @Override
    void close();
}
