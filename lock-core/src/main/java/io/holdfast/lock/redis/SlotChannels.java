package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.SlotSubscription;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.threads.DaemonThreads;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
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
 * #await named} with each poll, at least every 500 ms, and is subscribed to if it is not, on the server that now has its slot. After a
 * connection broke, its server is left alone for that long; for 5 s if it never confirmed a subscription; for a minute if it refuses the
 * command; and not at all if a slot has moved.
 *
 * <p><b>Ends.</b> A connection on which nothing is heard for {@value #QUIET_MILLIS} ms is closed: nobody waits any more, or it is dead
 * without a sign. (A server counts the latter as subscribed, so its messages are lost until then; polls find these grants.) While somebody
 * waits, polls subscribe again before that, because a server confirms each subscription. A connection with very many channels gets no
 * others, and is closed after a minute: most of its locks are no longer waited for.
 *
 * <p><b>Threads.</b> A channel is added to the map before its thread looks whether the connection was confirmed, and the connection counts
 * as confirmed before the reading thread subscribes to all that are in the map: so one of the two threads subscribes. If both do, the server
 * confirms it twice. Ended readers remain in the map until they are replaced, so that a server that refuses is left alone. A reader that
 * is closed while it connects finds that out when it has connected: one of the two threads sees what the other has written.
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
                DaemonThreads.create(added, "holdfast-wakeups-slots").start();
            }
        } else {
            reader.add(name);
        }
        if (closed) {
            reconnect();
        }
    }

    /** Closes all connections; the next polls open those that are needed. */
    void reconnect() {
        List<Reader> ended = List.copyOf(readers.values());
        readers.values().removeAll(ended);
        ended.forEach(Reader::close);
    }

    @Override
    public void close() {
        closed = true;
        reconnect();
    }

    /** The subscriptions on one server. */
    private final class Reader implements Runnable, SlotSubscription.Listener {

        private final Map<String, byte[]> channels = new ConcurrentHashMap<>();
        private final byte[] first;
        private final long createdAt = System.nanoTime();
        private volatile long heardAt;
        private volatile boolean closing;

        /** When another one may take its place; null while it is in use. */
        private volatile @Nullable Long retryAt;

        private volatile @Nullable SlotSubscription open;

        /** The same, from the first confirmation on. */
        private volatile @Nullable SlotSubscription confirmed;

        Reader(byte[] first) {
            this.first = first;
        }

        boolean mayBeReplaced() {
            Long at = retryAt;
            return at != null && System.nanoTime() - at >= 0;
        }

        void add(byte[] name) {
            String text = new String(name, StandardCharsets.ISO_8859_1);
            if (channels.size() >= MAX_CHANNELS && !channels.containsKey(text)) {
                if (System.nanoTime() - createdAt > FULL_NANOS) {
                    close();
                }
                return;
            }
            boolean isKnown = channels.put(text, name) != null;
            SlotSubscription ready = confirmed;
            if (ready != null && !(isKnown && System.nanoTime() - heardAt < ASK_NANOS)) {
                heardAt = System.nanoTime();
                attempt(() -> ready.add(name));
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
            long pauseNanos = 0;
            try (SlotSubscription connection = wire.newSubscription(first, QUIET_MILLIS, this)) {
                open = connection;
                if (!closing) {
                    connection.read(first);
                }
            } catch (RuntimeException | Error e) {
                pauseNanos = pause(e);
            } finally {
                confirmed = null;
                open = null;
                channels.clear();
                retryAt = System.nanoTime() + pauseNanos;
            }
        }

        /** How long the server is left alone. Its messages may contain keys that are to be masked. */
        private long pause(Throwable failure) {
            if (!(failure instanceof RuntimeException known) || RedisFailures.isServerError(known, "MOVED ")) {
                return 0;
            }
            String reason = String.valueOf(
                    RedisFailures.translate(known, wire.server(), true).getMessage());
            log.debug("A sharded subscription ended: {}", reason);
            if (RedisFailures.isServerError(known, "NOPERM", "ERR unknown command")) {
                warn(reason);
                return REFUSED_NANOS;
            }
            return confirmed == null ? UNCONFIRMED_NANOS : RETRY_NANOS;
        }

        void close() {
            closing = true;
            SlotSubscription connection = open;
            if (connection != null) {
                attempt(connection::close);
            }
        }

        @Override
        public void subscribed(byte[] name) {
            heardAt = System.nanoTime();
            SlotSubscription ready = open;
            if (confirmed == null && ready != null) {
                confirmed = ready;
                channels.values().forEach(each -> attempt(() -> ready.add(each)));
            }
        }

        @Override
        public void unsubscribed(byte[] name) {
            channels.remove(new String(name, StandardCharsets.ISO_8859_1));
        }

        @Override
        public void message(byte[] body) {
            heardAt = System.nanoTime();
            messages.accept(body);
        }
    }

    private void warn(String reason) {
        if (!warned) {
            warned = true;
            log.warn(
                    "Cannot subscribe to sharded channels (SSUBSCRIBE), so all servers of the cluster pass on the hand-overs of"
                            + " locks: {}",
                    reason);
        }
    }
}
