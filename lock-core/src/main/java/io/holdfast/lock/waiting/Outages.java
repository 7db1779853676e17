package io.holdfast.lock.waiting;

import io.holdfast.lock.store.Ticker;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Callers of one client that were waiting for locks when the store failed, in a queue for each server. Only the first of a
 * queue asks; while the store fails, it rests between two tries for 100 ms to 1 s, at random up to a half less. Once it is
 * answered, the next one asks, at once, and so on. So however many were waiting, a server that fails gets one such call for
 * each rest, and one that has recovered gets them one after the other, in the order in which they met the failure.
 *
 * <p>Nobody is forgotten: the first of a queue waits for no longer than the rest, and whoever leaves, for whatever reason,
 * wakes the one that is then first, in the same step. The monitor is never held during a call of the store or a wait.
 */
final class Outages implements AutoCloseable {

    private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Ticker ticker;

    /** Guarded by this monitor, as is what the queues hold. */
    private final Map<String, Queue> queues = new HashMap<>();

    private volatile boolean closed;

    /**
     * Creates an instance.
     *
     * @param ticker the clock
     */
    public Outages(Ticker ticker) {
        this.ticker = ticker;
    }

    /**
     * Queues a caller.
     *
     * @param server which server failed
     * @param failing whether it fails now, as far as the caller knows; if not, it has recovered
     * @param waiter is run when it may be its turn
     * @return its place, to be left in the end
     */
    public synchronized Place join(String server, boolean failing, Runnable waiter) {
        Queue queue = queues.get(server);
        if (queue == null) {
            queue = new Queue(server);
            queues.put(server, queue);
            if (failing) {
                queue.rest();
            }
        }
        Place place = new Place(queue, waiter);
        queue.places.add(place);
        return place;
    }

    /** Wakes all; they find the client closed. */
    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            queues.values().forEach(queue -> queue.places.forEach(Place::wake));
        }
    }

    /** For one server. */
    private final class Queue {

        private final String server;
        private final Set<Place> places = new LinkedHashSet<>();
        private long notBefore = ticker.nanos();
        private long restNanos;

        Queue(String server) {
            this.server = server;
        }

        void rest() {
            restNanos = Math.min(Math.max(2 * restNanos, FIRST_REST_NANOS), LONGEST_REST_NANOS);
            notBefore = ticker.nanos() + restNanos - ThreadLocalRandom.current().nextLong(restNanos / 2);
        }

        @Nullable
        Place first() {
            Iterator<Place> all = places.iterator();
            return all.hasNext() ? all.next() : null;
        }
    }

    /** One caller's. */
    public final class Place implements AutoCloseable {

        private final Queue queue;
        private final Runnable waiter;

        private Place(Queue queue, Runnable waiter) {
            this.queue = queue;
            this.waiter = waiter;
        }

        /**
         * Looks whether this one is to ask the store. Whoever waits is woken when it may be so.
         *
         * @param budget ends the wait
         * @param failing since when the store fails; null if it does not, as far as is known
         * @return for how long to wait at most before the next look, in nanoseconds; 0 if it is to ask, or the budget is spent,
         *     or the store has failed for too long
         * @throws IllegalStateException if the client is closed
         */
        public long look(Budget budget, @Nullable Failing failing) {
            if (closed) {
                throw ClosedClient.exception();
            }
            long left = budget.remainingNanos(failing);
            return Math.max(0, Math.min(left, untilTurn()));
        }

        /** Until it may ask, if it is first; else until it is to look again whether the store fails for too long. */
        private long untilTurn() {
            synchronized (Outages.this) {
                return queue.first() == this ? queue.notBefore - ticker.nanos() : LONGEST_REST_NANOS;
            }
        }

        /** The store has failed again. */
        public void failed() {
            synchronized (Outages.this) {
                queue.rest();
            }
        }

        /** The store has answered: the next one may ask at once. */
        public void answered() {
            synchronized (Outages.this) {
                queue.restNanos = 0;
                queue.notBefore = ticker.nanos();
            }
        }

        /** Leaves the queue. */
        @Override
        public void close() {
            synchronized (Outages.this) {
                queue.places.remove(this);
                Place next = queue.first();
                if (next == null) {
                    queues.remove(queue.server, queue);
                } else {
                    next.wake();
                }
            }
        }

        private void wake() {
            waiter.run();
        }
    }
}
