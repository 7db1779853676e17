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
 * ({@link WakeChannel}), which all servers pass on. So a subscription may come late, or end early, without a message being lost, and nothing
 * here tries again: a lock that is waited for is {@linkplain #await named} with each poll, at least every 500 ms, and is subscribed to if it
 * is not, on the server that now has its slot. After a failure, a server is left alone for that long; if it refuses the command, for a
 * minute.
 *
 * <p><b>Ends.</b> A connection on which nothing is heard for {@value #QUIET_MILLIS} ms is closed: nobody waits any more, or it is dead
 * without a sign. (A server counts the latter as subscribed, so its messages are lost until then; polls find these grants.) While somebody
 * waits, polls subscribe again before that, because a server confirms each subscription. A connection with very many channels is closed,
 * too: most of its locks are no longer waited for.
 *
 * <p><b>Threads.</b> A channel is added to the map before its thread looks whether the connection was confirmed, and the connection counts
 * as confirmed before the reading thread subscribes to all that are in the map: so one of the two threads subscribes. If both do, the server
 * confirms it twice. Ended readers remain in the map until they are replaced, so that a server that refuses is left alone.
 */
final class SlotChannels implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SlotChannels.class);

    private static final int QUIET_MILLIS = 5_000;
    private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(QUIET_MILLIS / 2);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long REFUSED_NANOS = TimeUnit.MINUTES.toNanos(1);
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
        Reader reader = readers.compute(
                wire.serverOf(name),
                (server, known) -> known == null || known.mayBeReplaced() ? new Reader(name) : known);
        if (closed) {
            reconnect();
        } else {
            reader.add(name);
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
        private volatile long heardAt;

        /** When another one may take its place; null while it is in use. */
        private volatile @Nullable Long retryAt;

        private volatile @Nullable SlotSubscription open;

        /** The same, from the first confirmation on. */
        private volatile @Nullable SlotSubscription confirmed;

        Reader(byte[] first) {
            this.first = first;
            DaemonThreads.create(this, "holdfast-wakeups-slots").start();
        }

        boolean mayBeReplaced() {
            Long at = retryAt;
            return at != null && System.nanoTime() - at >= 0;
        }

        void add(byte[] name) {
            boolean isKnown = channels.put(new String(name, StandardCharsets.ISO_8859_1), name) != null;
            SlotSubscription ready = confirmed;
            if (channels.size() > MAX_CHANNELS) {
                close();
            } else if (ready != null && !(isKnown && System.nanoTime() - heardAt < ASK_NANOS)) {
                heardAt = System.nanoTime();
                attempt(() -> ready.add(name));
            }
        }

        /** A broken connection ends the thread that reads. */
        private static void attempt(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                log.debug("A sharded subscription is broken", e);
            }
        }

        @Override
        public void run() {
            long pauseNanos = RETRY_NANOS;
            try (SlotSubscription connection = wire.newSubscription(first, QUIET_MILLIS, this)) {
                open = connection;
                connection.read(first);
            } catch (RuntimeException | Error e) {
                log.debug("A sharded subscription ended", e);
                if (e instanceof RuntimeException known && isRefusal(known)) {
                    warn(known);
                    pauseNanos = REFUSED_NANOS;
                }
            } finally {
                confirmed = null;
                retryAt = System.nanoTime() + pauseNanos;
            }
        }

        void close() {
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

    private static boolean isRefusal(RuntimeException failure) {
        return RedisFailures.isServerError(failure) && !RedisFailures.isServerError(failure, "MOVED ", "CLUSTERDOWN ");
    }

    private void warn(RuntimeException refusal) {
        if (!warned) {
            warned = true;
            log.warn(
                    "Cannot subscribe to sharded channels, so all servers of the cluster pass on the hand-overs of locks. Grant"
                            + " the Redis user SSUBSCRIBE and SUNSUBSCRIBE: {}",
                    RedisFailures.translate(refusal, wire.server(), true).getMessage());
        }
    }
}
