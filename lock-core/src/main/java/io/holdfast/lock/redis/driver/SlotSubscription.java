package io.holdfast.lock.redis.driver;

/**
 * A connection to one server of a cluster, for channels in its slots ({@code SSUBSCRIBE}, from Redis 7). All methods throw the driver's
 * exceptions.
 */
public interface SlotSubscription extends AutoCloseable {

    /** What happens on the connection. Called by the thread that {@linkplain #read reads}. */
    interface Listener {

        /** The server has confirmed that it sends the messages of a channel. */
        void subscribed(byte[] channel);

        /** The server no longer sends the messages of a channel, because it no longer has the slot. */
        void unsubscribed(byte[] channel);

        /** A message on one of the channels. */
        void message(byte[] body);
    }

    /** Subscribes to a channel, and reads until no channel is left, or the connection breaks or is silent for too long. */
    void read(byte[] channel);

    /**
     * Subscribes to a channel, again if there is a subscription: the server confirms each. For any thread, once the first channel was
     * confirmed.
     */
    void add(byte[] channel);

    /** Ends all subscriptions, from any thread, without sending anything. */
    @Override
    void close();
}
