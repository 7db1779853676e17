package io.holdfast.lock.redis;

import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.threads.Uninterrupted;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * One client's subscription to its wakeup channel, on its own thread and connection, which it closes. After a lost connection
 * it tries to connect every {@value #PAUSE_MILLIS} ms; after a refusal, such as for a missing permission, every
 * {@value #REFUSED_PAUSE_MILLIS} ms, because each attempt may cost the application's pool a connection. Until it succeeds, the listener
 * knows that no messages arrive.
 *
 * <p>Spring's listener container is not used: it gives up on errors other than a lost connection (such as a temporarily missing
 * permission), does not report when it is disconnected, and blocks the caller's thread.
 *
 * <p>Jedis reads messages on the subscribing thread, and returns when the subscription ends, or after a message if that thread was
 * interrupted; Lettuce, in an application's factory, returns immediately, reads on its own threads, and resubscribes automatically after a
 * lost connection. An interrupt ends the subscription with either, and another one follows.
 *
 * <p>A server that hangs keeps its connections open and silent, even if another one has replaced it long ago. So a call without a reply, or
 * missed messages, raise a doubt. Then the client subscribes to the same channel again on the same connection, because a server confirms
 * that. If it does not do so within a command timeout, the connection is closed, the topology is refreshed, and a new connection is
 * established; this repeats until a server confirms. The latch that awaits the confirmation is in place before the thread looks whether
 * there is a subscription, and a subscription is marked as such before the latch is looked up: so either the latch notices that
 * confirmation, or the thread finds the subscription and requests another one.
 *
 * <p>No doubt is forgotten: each increments {@link #doubts}, and the one that raises it from 0 starts the thread that resolves all of them.
 * The thread ends by resetting the count to 0 if it has not changed since before the last check, so a server has confirmed after the last
 * doubt. A subscription to a server that hangs does not last either: each round of waiting closes the connection if it is the same at its
 * beginning and at its end. A newer connection gets its own round; the steps that precede its subscription are limited by the driver's
 * timeouts.
 *
 * <p>To send on a connection whose socket is closed, Jedis opens another one, without a password, and no longer takes the connection for
 * broken. So the subscribing thread closes its connection only while nobody sends on it, and nobody does later. Others close the socket
 * without waiting for the sender, which may hang; they mark the connection as abandoned before, and the sender looks for that mark after it
 * has sent, and the subscribing thread when a server has confirmed its subscription: so whoever opened the last socket closes it, or those
 * who set the mark do. A connection of Lettuce that is closed stays closed, and a call that hangs on it ends then, so the
 * subscribing thread does not wait for that.
 */
final class WakeChannel implements LockStore.Listening, MessageListener, SubscriptionListener, Runnable {

    private static final Logger log = LoggerFactory.getLogger(WakeChannel.class);

    private static final int PAUSE_MILLIS = 100;
    private static final int REFUSED_PAUSE_MILLIS = 5_000;
    private static final int SHUTDOWN_TIMEOUT_MILLIS = 500;
    private static final int MAX_MESSAGE = 200;
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Wire wire;
    private final byte[] channel;
    private final WakeListener listener;
    private final boolean messagesGrant;
    private final Duration patience;
    private final Consumer<WakeChannel> onClose;

    /** The client, as the store knows it. */
    final String clientId;

    /** Its other subscriptions, in a cluster. */
    final SlotChannels slots;

    private final AtomicInteger doubts = new AtomicInteger();
    private final ReentrantLock sending = new ReentrantLock();
    final Thread thread = DaemonThreads.create(this, "holdfast-wakeups");

    private volatile CountDownLatch confirmed = new CountDownLatch(1);
    private volatile long warnAgain = System.nanoTime();
    private volatile boolean closed;
    private volatile boolean subscribed;
    private volatile boolean reading;
    private volatile @Nullable RedisConnection connection;
    private volatile @Nullable RedisConnection abandoned;
    private volatile String warned = "";

    /**
     * @param wire connects on the thread of this subscription, because with sentinels or a cluster that requires calls
     * @param listener is notified of messages, and of whether they arrive
     * @param messagesGrant whether a grant received by message counts; otherwise it is treated as already expired
     * @param patience how long a server may take to confirm a subscription, once there is a doubt
     */
    WakeChannel(
            Wire wire,
            ScriptCodec codec,
            String clientId,
            WakeListener listener,
            boolean messagesGrant,
            Duration patience,
            Consumer<WakeChannel> onClose) {
        this.wire = wire;
        this.clientId = clientId;
        this.channel = codec.channel(clientId);
        this.slots = new SlotChannels(wire, key -> codec.channel(key, clientId), this::received);
        this.listener = listener;
        this.messagesGrant = messagesGrant;
        this.patience = patience;
        this.onClose = onClose;
    }

    @Override
    public void doubt() {
        if (doubts.getAndIncrement() == 0) {
            DaemonThreads.create(this::resolveDoubts, "holdfast-wakeups-check").start();
        }
    }

    /** This channel is subscribed on the wrong server, even if that server confirms the subscription. */
    void reconnect() {
        RedisConnection open = connection;
        if (open != null) {
            abandon(open);
        }
    }

    private void resolveDoubts() {
        int resolved;
        do {
            resolved = doubts.get();
            awaitConfirmation();
        } while (!closed && !doubts.compareAndSet(resolved, 0));
    }

    private void awaitConfirmation() {
        CountDownLatch confirmation = new CountDownLatch(1);
        confirmed = confirmation;
        RedisConnection doubted = connection;
        if (subscribed) { // a subscription that was never confirmed is still being sent
            send(each -> each.subscribe(channel));
        }
        while (!closed && !Uninterrupted.await(confirmation, patience.toNanos())) {
            if (doubted != null && doubted == connection) {
                abandon(doubted);
            }
            doubted = connection;
        }
    }

    private void abandon(RedisConnection doubted) {
        abandoned = doubted;
        if (doubted instanceof Wire.Breakable socket) {
            socket.breakOff();
        }
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        while (!closed) {
            int pauseMillis = PAUSE_MILLIS;
            try {
                subscribe();
            } catch (RuntimeException | Error e) { // for example, no thread can be started for the driver
                warn(e);
                pauseMillis = isRefusal(e) ? REFUSED_PAUSE_MILLIS : PAUSE_MILLIS;
            }
            if (!closed) {
                listener.disconnected();
                LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(pauseMillis));
                Thread.interrupted(); // a stray interrupt would end every pause at once
            }
        }
    }

    /** The former is Spring's exception for any error with Jedis that is not a lost connection, such as its own for tokens with RESP2. */
    private static boolean isRefusal(Throwable e) {
        return e instanceof InvalidDataAccessApiUsageException
                || (e instanceof RuntimeException known
                        && RedisFailures.isServerError(known, "NOPERM", "ERR unknown command"));
    }

    /** Logs once for each outage, and each reason. */
    private void warn(Throwable e) {
        String reason = e instanceof RuntimeException known
                ? String.valueOf(
                        RedisFailures.translate(known, wire.server(), true).getMessage())
                : e.toString();
        if (!reason.equals(warned) && !closed) {
            warned = reason;
            log.warn("Wakeup subscription is down; polling every 100 ms until it is back: {}", reason);
        }
    }

    /** Returns when the subscription has ended. */
    private void subscribe() {
        if (abandoned != null) {
            abandoned = null;
            wire.refreshTopology();
        }
        try (RedisConnection own = wire.newSubscription()) {
            try {
                connection = own;
                if (!closed) {
                    reading = true;
                    own.subscribe(this, channel);
                    reading = false;
                }
                while (!Thread.interrupted() && own.isSubscribed() && own != abandoned && !closed) {
                    LockSupport.park(this);
                }
            } finally {
                reading = false;
                subscribed = false;
                if (own instanceof Wire.Breakable) {
                    sending.lock();
                    try {
                        connection = null;
                    } finally {
                        sending.unlock();
                    }
                } else {
                    connection = null;
                }
            }
        }
    }

    private void send(Consumer<Subscription> step) {
        sending.lock();
        try {
            RedisConnection open = connection;
            if (open != null && open != abandoned) {
                step.accept(Objects.requireNonNull(open.getSubscription()));
                if (open == abandoned) {
                    abandon(open);
                }
            }
        } catch (RuntimeException | Error e) {
            log.debug("The wakeup subscription is broken", e);
        } finally {
            sending.unlock();
        }
    }

    @Override
    public void onMessage(Message message, byte @Nullable [] pattern) {
        received(message.getBody());
    }

    /** A message on this channel, or on one in the slot of a lock. */
    void received(byte[] body) {
        try {
            read(body);
        } catch (RuntimeException e) {
            long now = System.nanoTime();
            if (now - warnAgain >= 0) {
                warnAgain = now + QUIET_NANOS;
                log.warn("Ignored a malformed message on the wakeup channel. Check which users may publish to it.", e);
            }
        }
    }

    /**
     * Every user with permission to publish there can send messages. No message could prove that it comes from a script: a script knows only
     * what is in the lock, in the arguments of whoever calls it, and on Redis' clock, and a user who may read the lock and the time knows or
     * chooses all of that. A secret of the waiter would be in the lock too, and only a secret that all clients share, as a setting, would
     * help. So a grant by message is confirmed after 20 ms, and invalid content is not a failure of the channel: messages that no
     * lock script sends are dropped, with a warning at most once a minute, and those of later versions are ignored. The listener judges
     * whether a message is plausible.
     */
    private void read(byte[] body) {
        if (body.length > MAX_MESSAGE) {
            throw new IllegalArgumentException("The message is too long: " + body.length + " bytes");
        }
        String[] words = new String(body, StandardCharsets.US_ASCII).split(" ", -1);
        switch (words[0]) {
            case "granted" -> listener.granted(number(words, 1), reservation(words));
            case "awaited" -> listener.awaited(number(words, 1), ScriptCodec.waiters(number(words, 2)));
            case "revoked" -> listener.revoked(number(words, 1));
            default -> log.debug("Ignored a wakeup message of an unknown kind");
        }
    }

    /** The numbers are the first token, the number of tokens, the beginning, the end, and which callers wait. */
    private Reservation reservation(String[] words) {
        return new Reservation(
                number(words, 2),
                number(words, 3),
                ScriptCodec.waiters(number(words, 6)),
                number(words, 4),
                number(words, messagesGrant ? 5 : 4));
    }

    private static long number(String[] words, int index) {
        if (index >= words.length || !words[index].chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IllegalArgumentException("Word " + index + " is missing or not a number");
        }
        return Long.parseLong(words[index]);
    }

    /**
     * The channel may have been closed before there was a subscription to end. Then the subscribing thread ends it: with Jedis here, as
     * this runs on that thread; with Lettuce, whose callbacks must not block, after the call has returned.
     */
    @Override
    public void onChannelSubscribed(byte[] name, long count) {
        if (connection == abandoned) { // its socket was closed before SUBSCRIBE was sent, or the server was late
            reconnect();
            return;
        }
        warned = "";
        subscribed = true;
        listener.connected();
        confirmed.countDown();
        if (closed && Thread.currentThread() == thread) {
            send(Subscription::unsubscribe);
        }
    }

    /**
     * Makes the subscribing thread continue if it is reading. If it only waits, that thread closes the connection, and nobody else
     * unsubscribes: with Lettuce that would close it as well, and Lettuce logs a warning when a connection is closed twice.
     */
    @Override
    public void close() {
        closed = true;
        onClose.accept(this);
        slots.close();
        confirmed.countDown();
        LockSupport.unpark(thread);
        if (reading && subscribed) {
            send(Subscription::unsubscribe);
        }
        try {
            thread.join(SHUTDOWN_TIMEOUT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            reconnect(); // ends reading; a closed channel does not connect again
        }
    }
}
