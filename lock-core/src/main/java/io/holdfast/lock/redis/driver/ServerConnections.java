package io.holdfast.lock.redis.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The connections to one server: a fixed number of slots, each with a connection or with room for one. Jedis' pool is not
 * used. With more threads than connections it lets callers overtake each other without limit, so that some wait for half a
 * second although calls take 0.1 ms; it replaces a broken connection on the thread that returns it; and it interrupts waiting
 * threads when it is closed.
 *
 * <p><b>Waiting.</b> A thread that is running may take a slot before one that has to wake up first, because the connection would be idle
 * until then; where processors are busy, that costs half the throughput. The others stand in line, and only the first of them looks for a
 * slot. It is woken when a slot comes back. If another thread has taken that slot, it looks again a millisecond later, and is not woken
 * before: with many more threads than connections, nearly all wakeups would be futile. But once a caller has waited longer than the
 * patience limit, threads that come later stand in line behind it, and each slot that comes back wakes the first.
 *
 * <p>No wakeup is lost: a waiting thread sets {@link #first} before it tries for a permit; a returning thread releases its permit before
 * it reads {@code first}.
 *
 * <p>Each permit stands for a slot. A permit is released only after a slot with a connection has been added to {@link #free}, and
 * acquired before {@code free} is searched; a caller that finds none gets an empty slot, and connects. So there are never more connections
 * than permits: when a caller finds none, holders of permits have all the others. A slot whose connection broke is discarded, and only its
 * permit is released.
 *
 * <p><b>Broken and silent connections.</b> After a restart of the server, all connections are broken; after that of a firewall, or of a
 * node under an address that has moved, they are dead without a sign, and new ones work. The most recently used one is taken first, so the
 * first call after that fails, and closes all that are free. Calls that use others at that moment also fail, but then close only those that
 * nobody has used since, so none that was made after the restart.
 *
 * <p>If instead the server is slow, or hangs, this costs little. A connection on which a call has succeeded since is not closed. Only a
 * call that finds none connects, so there are never more connections than calls, and connecting takes the place of waiting for a reply. A
 * new connection without a reply closes none: a new one is made only if none is free, so those that are free now have worked since.
 */
final class ServerConnections {

    /** How long the first in the line pauses after a futile wakeup. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Semaphore permits;
    private final ReentrantLock line = new ReentrantLock(true);

    /** The first in the line, while it waits to be woken. */
    private final AtomicReference<@Nullable Thread> first = new AtomicReference<>();

    /**
     * Whether the first in the line, or the one before it, has waited longer than the patience limit. Written by the first. If those
     * behind it have left, the next caller resets it.
     */
    private volatile boolean overdue;

    /** The slots with a connection that nobody is using, the most recently used first. */
    private final Deque<Slot> free = new ArrayDeque<>();

    private final long maxIdleNanos;
    private final long patienceNanos;
    private volatile boolean closed;

    /** Used by one thread at a time, from {@link #take} to {@link #giveBack}; empty until that thread connects. */
    final class Slot {

        @Nullable
        Connection connection;

        private long usedAt;

        Connection connection() {
            return Objects.requireNonNull(connection, "not connected");
        }

        /** Empties this slot. */
        void disconnect() {
            Connection emptied = connection;
            connection = null;
            if (emptied != null) {
                ServerConnections.disconnect(emptied);
            }
        }

        /** The connection of this slot broke, or is silent: closes those that nobody has used since it last worked. */
        void clearOlder() {
            clear(usedAt);
        }

        void giveBack() {
            usedAt = System.nanoTime();
            add(connection == null ? null : this, usedAt - maxIdleNanos).forEach(Slot::disconnect);
            if (closed) {
                clear(usedAt);
            }
            permits.release();
            wakeFirst();
        }
    }

    /**
     * Creates an instance.
     *
     * @param maxIdle how long a connection may have been idle and still be reused; others are closed when one is given back
     * @param patience how long a caller may be overtaken
     */
    ServerConnections(int number, Duration maxIdle, Duration patience) {
        permits = new Semaphore(number);
        maxIdleNanos = maxIdle.toNanos();
        patienceNanos = patience.toNanos();
    }

    /**
     * Takes a slot.
     *
     * @throws NoSuchElementException if all slots are taken for that long
     */
    Slot take(long nanos) {
        try {
            if ((overdue || !permits.tryAcquire()) && !isInTime(nanos)) {
                throw new NoSuchElementException("All connections were in use for too long");
            }
        } catch (InterruptedException e) {
            throw new JedisException("Interrupted while waiting for a connection", e);
        }
        Slot taken = remove();
        if (System.nanoTime() - taken.usedAt > maxIdleNanos) {
            taken.disconnect();
        }
        return taken;
    }

    private boolean isInTime(long nanos) throws InterruptedException {
        long start = System.nanoTime();
        if (!line.tryLock(nanos, TimeUnit.NANOSECONDS)) {
            return false;
        }
        try {
            return isInTimeAsFirst(start, nanos);
        } finally {
            first.set(null);
            overdue = overdue && line.hasQueuedThreads();
            line.unlock();
        }
    }

    private boolean isInTimeAsFirst(long start, long nanos) throws InterruptedException {
        boolean futile = false;
        while (true) {
            long waited = System.nanoTime() - start;
            overdue = waited >= patienceNanos;
            boolean woken = overdue || !futile;
            first.set(woken ? Thread.currentThread() : null);
            if (permits.tryAcquire()) {
                return true;
            }
            if (waited >= nanos) {
                return false;
            }
            long untilOverdue = overdue ? Long.MAX_VALUE : patienceNanos - waited;
            LockSupport.parkNanos(this, Math.min(nanos - waited, woken ? untilOverdue : PAUSE_NANOS));
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            futile = woken && first.get() == null;
        }
    }

    private void wakeFirst() {
        Thread waiting = first.get();
        if (waiting != null && first.compareAndSet(waiting, null)) {
            LockSupport.unpark(waiting);
        }
    }

    private synchronized Slot remove() {
        return free.isEmpty() ? new Slot() : free.remove();
    }

    /** Adds a slot, unless it is null, and removes those that were last used by the given time. */
    private synchronized List<Slot> add(@Nullable Slot slot, long usedBy) {
        if (slot != null) {
            free.addFirst(slot);
        }
        List<Slot> unused = List.of();
        while (!free.isEmpty() && free.getLast().usedAt - usedBy <= 0) {
            unused = unused.isEmpty() ? new ArrayList<>() : unused;
            unused.add(free.removeLast());
        }
        return unused;
    }

    /**
     * Closes the connections that nobody is using and that were last used by the given time. With TLS, this writes to the server, so no
     * monitor is held.
     */
    void clear(long usedBy) {
        add(null, usedBy).forEach(Slot::disconnect);
    }

    /** Closes all connections; those in use are closed when they are given back. */
    void close() {
        closed = true;
        clear(System.nanoTime());
    }

    /** Closes the socket without sending anything. */
    static void disconnect(Connection connection) {
        try {
            connection.forceDisconnect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
