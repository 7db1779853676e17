package io.holdfast.lock.redis;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.WakeListener;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * One client's subscription to its wake-up channel, on a thread and a connection of its own, which it closes. A connection
 * that is lost is made again every {@value #PAUSE_MILLIS} ms; until then the listener knows that it hears nothing.
 *
 * <p>Spring's listener container is not used: it gives up on errors other than a lost connection (a permission that is
 * missing for a while), does not say when it hears nothing, and waits in the caller's thread.
 *
 * <p>Jedis reads messages on the thread that subscribed and returns when that ends; Lettuce returns at once, reads on its
 * own threads, and says when the connection is lost.
 */
final class WakeChannel implements LockStore.Listening, MessageListener, SubscriptionListener, Runnable {

    private static final Logger log = LoggerFactory.getLogger(WakeChannel.class);

    private static final int PAUSE_MILLIS = 100;
    private static final int LAST_WORDS_MILLIS = 500;

    private final Supplier<OwnConnections> connecting;
    private final byte[] channel;
    private final WakeListener listener;
    private final Thread thread = new Thread(this, "lock-wakeups");

    private volatile boolean closed;
    private volatile boolean lost;
    private volatile @Nullable OwnConnections factory;
    private volatile @Nullable RedisConnection connection;
    private volatile String warned = "";

    /**
     * @param connecting makes the connections for it, on its own thread: with sentinels or a cluster that takes calls
     */
    WakeChannel(Supplier<OwnConnections> connecting, byte[] channel, WakeListener listener) {
        this.connecting = connecting;
        this.channel = channel;
        this.listener = listener;
    }

    WakeChannel start() {
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    @Override
    public void run() {
        try {
            while (!closed) {
                try {
                    subscribe(connections());
                } catch (RuntimeException e) {
                    warn(e);
                }
                if (!closed) {
                    listener.disconnected();
                    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
                }
            }
        } finally {
            destroyConnections();
        }
    }

    /** Once for each outage, and each reason. */
    private void warn(RuntimeException e) {
        String reason = String.valueOf(RedisFailures.translate(e).getMessage());
        if (!reason.equals(warned) && !closed) {
            warned = reason;
            log.warn("Waiting for locks goes on by asking more often: the wake-up channel is down: {}", reason);
        }
    }

    private OwnConnections connections() {
        OwnConnections known = factory;
        if (known == null) {
            known = connecting.get();
            known.onDisconnect(() -> {
                lost = true;
                LockSupport.unpark(thread);
            });
            factory = known;
        }
        return known;
    }

    private void destroyConnections() {
        OwnConnections made = factory;
        if (made != null) {
            LockConnections.destroy(made);
        }
    }

    /** Returns when the subscription has ended. */
    private void subscribe(OwnConnections connections) {
        lost = false;
        try (RedisConnection own = connections.newConnection()) {
            connection = own;
            if (!closed) {
                own.subscribe(this, channel);
            }
            while (own.isSubscribed() && !lost && !closed) {
                LockSupport.park(this);
            }
        } finally {
            connection = null;
        }
    }

    @Override
    public void onMessage(Message message, byte @Nullable [] pattern) {
        String[] words = new String(message.getBody(), StandardCharsets.US_ASCII).split(" ");
        try {
            long sequence = Long.parseLong(words[1]);
            if (words[0].equals("granted")) {
                listener.granted(sequence, reservation(words));
            } else if (words[0].equals("awaited")) {
                listener.awaited(sequence, Replies.waiters(Long.parseLong(words[2])));
            }
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            log.warn("The wake-up channel carries something that no lock script says; who else writes to it?", e);
        }
    }

    /** The numbers are token, tokens, when, until when, and who waits. */
    private static Reservation reservation(String[] words) {
        return new Reservation(
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Replies.waiters(Long.parseLong(words[6])),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]));
    }

    @Override
    public void onChannelSubscribed(byte[] subscribed, long count) {
        warned = "";
        listener.connected();
        if (closed && Thread.currentThread() == thread) {
            unsubscribe();
        }
    }

    /**
     * Who closes the channel may come before there is anything to end. Then the subscribing thread ends it: with Jedis in the
     * callback, which runs on it; with Lettuce, whose callbacks must not block, when it has returned.
     */
    private void unsubscribe() {
        RedisConnection open = connection;
        Subscription subscription = open == null ? null : open.getSubscription();
        if (subscription != null) {
            subscription.unsubscribe();
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            unsubscribe();
        } catch (RuntimeException e) {
            log.debug("The wake-up channel was broken, or not made yet, when it was closed", e);
        }
        try {
            thread.join(LAST_WORDS_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            destroyConnections();
        }
    }
}
