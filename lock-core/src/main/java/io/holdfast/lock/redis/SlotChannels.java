package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.SlotSubscription;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.threads.DaemonThreads;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscriptions of one client to channels in the slots of the locks that it waits for, in a cluster whose servers can publish there:
 * one connection and one thread for each server with such locks. So a hand-over costs one server a message, however many servers there are.
 *
 * <p><b>Nothing depends on them.</b> If nobody is subscribed on the server of a lock, its scripts publish on the client's own channel
 * ({@link WakeChannel}), which all servers pass on; where they must not, and for a message that is lost with its connection, the next poll
 * finds the grant. So a subscription may come late, or end early, and nothing here tries again: a lock that is waited for is {@linkplain
 * #await named} with each poll, at least every 500 ms, and is subscribed to if it is not, on the server that now has its slot. After any
 * failure, such as a slot that has moved, the server that failed is left alone for that long; for 5 s if it never confirmed a subscription;
 * for a minute if it refuses the command.
 *
 * <p><b>Ends.</b> A connection on which nothing is heard for {@value #QUIET_MILLIS} ms is closed: nobody waits any more, or it is dead
 * without a sign. (A server counts the latter as subscribed, so its messages are lost until then; polls find these grants.) While somebody
 * waits, polls subscribe again before that, because a server confirms each subscription. A connection with very many channels gets no
 * others, and is closed after a minute: most of its locks are no longer waited for.
 *
 * <p><b>Threads.</b> A channel is added to the set before its thread looks whether there is a connection, and there is one before the reading
 * thread subscribes to all that are in the set: so one of the two threads subscribes. If both do, the server confirms it twice. Readers
 * remain in the map until they have ended and may be replaced, so there is one for each server, and a server that refuses is left alone.
 *
 * <p>A reader that is closed while it connects finds that out when it has connected: one of the two threads sees what the other has written.
 * A reader is in the map before its thread starts. So {@link #close} finds and awaits it, or it begins after that, which may be late, if there
 * was no room for its thread: then it does not connect.
 */
final class SlotChannels implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SlotChannels.class);

    private static final int QUIET_MILLIS = 5_000;
    private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(QUIET_MILLIS / 2);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long UNCONFIRMED_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long REFUSED_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long FULL_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MAX_CHANNELS = 1_000;
    private static final long SHUTDOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Wire wire;
    private final Function<LockKey, byte[]> channelOf;
    private final Consumer<byte[]> messages;
    private final Map<String, Reader> readers = new ConcurrentHashMap<>();
    private volatile boolean warned;
    private volatile boolean closed;

    /**
     * Creates an instance without subscriptions.
     *
     * @param channelOf the client's channel in the slot of a lock
     * @param messages receives the messages
     */
    SlotChannels(Wire wire, Function<LockKey, byte[]> channelOf, Consumer<byte[]> messages) {
        this.wire = wire;
        this.channelOf = channelOf;
        this.messages = messages;
    }

    /** A lock is being waited for. Does not wait for a reply. */
    void await(LockKey key) {
        byte[] name = channelOf.apply(key);
        String server = wire.serverOf(name);
        Reader reader = readers.get(server);
        if (reader == null || reader.mayBeReplaced()) {
            Reader added = new Reader(name);
            boolean isAdded = reader == null
                    ? readers.putIfAbsent(server, added) == null
                    : readers.replace(server, reader, added);
            if (isAdded) {
                added.thread.start();
            }
        } else {
            reader.add(name);
        }
    }

    /** Closes all connections; the next polls open those that are needed. */
    void reconnect() {
        readers.values().forEach(Reader::close);
    }

    /** Returns when all connections are closed, or have had enough time for that. */
    @Override
    public void close() {
        closed = true;
        reconnect();
        long end = System.nanoTime() + SHUTDOWN_NANOS;
        try {
            for (Reader each : readers.values()) {
                TimeUnit.NANOSECONDS.timedJoin(each.thread, end - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The subscriptions on one server. */
    private final class Reader implements Runnable {

        private final Thread thread = DaemonThreads.create(this, "holdfast-wakeups-slots");
        private final Set<String> channels = ConcurrentHashMap.newKeySet();
        private final byte[] first;
        private final long createdAt = System.nanoTime();
        private volatile long heardAt;
        private volatile boolean closing;

        /** Null while there is no connection. */
        private volatile @Nullable SlotSubscription open;

        /** Whether the server has confirmed a subscription. */
        private boolean confirmed;

        /** Null until it has ended. */
        private volatile @Nullable Long replaceableAt;

        Reader(byte[] first) {
            this.first = first;
            channels.add(text(first));
        }

        boolean mayBeReplaced() {
            Long at = replaceableAt;
            return at != null && System.nanoTime() - at >= 0;
        }

        void add(byte[] name) {
            String channel = text(name);
            if (channels.size() >= MAX_CHANNELS && !channels.contains(channel)) {
                if (System.nanoTime() - createdAt > FULL_NANOS) {
                    close();
                }
                return;
            }
            boolean isNew = channels.add(channel);
            SlotSubscription connection = open;
            if (connection != null && (isNew || System.nanoTime() - heardAt >= ASK_NANOS)) {
                heardAt = System.nanoTime();
                attempt(() -> connection.add(name));
            }
        }

        /** A broken connection ends the thread that reads. */
        private static void attempt(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                log.debug("A sharded subscription is broken: {}", e.getClass().getName());
            }
        }

        @Override
        public void run() {
            if (closed) {
                return;
            }
            long pauseNanos = 0;
            try (SlotSubscription connection = wire.newSubscription(first, QUIET_MILLIS)) {
                open = connection;
                channels.forEach(each -> connection.add(each.getBytes(StandardCharsets.UTF_8)));
                while (!closing && !channels.isEmpty()) {
                    read(connection.next());
                }
            } catch (RuntimeException | Error e) {
                pauseNanos = closing ? 0 : pause(e);
            } finally {
                open = null;
                channels.clear();
                replaceableAt = System.nanoTime() + pauseNanos;
            }
        }

        private void read(List<?> reply) {
            heardAt = System.nanoTime();
            switch (text(reply.get(0))) {
                case "smessage" -> messages.accept((byte[]) reply.get(2));
                case "sunsubscribe" -> channels.remove(text(reply.get(1)));
                default -> confirmed = true;
            }
        }

        /** How long the server is left alone. Its messages may contain keys that are to be masked. */
        private long pause(Throwable failure) {
            if (!(failure instanceof RuntimeException known) || RedisFailures.isServerError(known, "MOVED ")) {
                return RETRY_NANOS;
            }
            String reason = String.valueOf(
                    RedisFailures.translate(known, wire.server(), true).getMessage());
            log.debug("A sharded subscription ended: {}", reason);
            if (RedisFailures.isServerError(known, "NOPERM", "ERR unknown command")) {
                if (!warned) {
                    warned = true;
                    log.warn(
                            "Cannot subscribe to sharded channels (SSUBSCRIBE), so all servers of the cluster pass on the"
                                    + " hand-overs of locks: {}",
                            reason);
                }
                return REFUSED_NANOS;
            }
            return confirmed ? RETRY_NANOS : UNCONFIRMED_NANOS;
        }

        void close() {
            closing = true;
            SlotSubscription connection = open;
            if (connection != null) {
                attempt(connection::close);
            }
        }
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }
}
