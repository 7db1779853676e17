package io.holdfast.lock.waiting;

import io.holdfast.lock.store.Ticker;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Callers of one client that were waiting for locks when the store failed, in a queue for each server. Only the first caller of
 * a queue calls the store; while the store is failing, it pauses between two attempts for 100 ms to 1 s, randomly shortened by
 * up to half. Once it gets a reply, the next caller continues immediately, and so on. So, regardless of the number of waiters, a
 * failing server receives one such call per pause, and a server that has recovered receives the calls one by one, in the order
 * in which the callers encountered the failure.
 *
 * <p>No caller is forgotten: the first caller of a queue waits for at most one pause, and a caller that leaves, for any reason,
 * wakes the new first one in the same step. Closing the client wakes each caller through its entry. The monitor is never held
 * during a call to the store or a wait.
 */
public final class Outages {

    private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Ticker ticker;

    /** Guarded by this monitor, like the contents of the queues. */
    private final Map<String, Queue> queues = new HashMap<>();

    /** @param ticker the clock */
    Outages(Ticker ticker) {
        this.ticker = ticker;
    }

    /**
     * Adds a caller to a queue.
     *
     * @param server which server failed
     * @param failing whether it is still failing, as far as the caller knows
     * @param waiter is run when it may be its turn
     * @return its turn, which must be closed
     */
    public synchronized Turn join(String server, boolean failing, Runnable waiter) {
        Queue queue = queues.computeIfAbsent(server, unused -> new Queue(failing));
        Turn turn = new Turn(queue, waiter);
        queue.turns.add(turn);
        return turn;
    }

    /** The queue of one server. */
    private final class Queue {

        private final Set<Turn> turns = new LinkedHashSet<>();
        private long notBefore;
        private long restNanos;

        Queue(boolean failing) {
            rest(failing);
        }

        private void rest(boolean failing) {
            restNanos = failing ? Math.min(Math.max(2 * restNanos, FIRST_REST_NANOS), MAX_REST_NANOS) : 0;
            notBefore = ticker.nanos() + restNanos - ThreadLocalRandom.current().nextLong(restNanos / 2 + 1);
        }
    }

    /** The turn of one caller. */
    public final class Turn implements AutoCloseable {

        private final Queue queue;
        private final Runnable waiter;

        private Turn(Queue queue, Runnable waiter) {
            this.queue = queue;
            this.waiter = waiter;
        }

        /**
         * Checks whether it is this caller's turn to call the store. Its waiter is run when that may be so.
         *
         * @param budget ends the wait
         * @param failing the failure of the store; null if it is not known to be failing
         * @return the maximum time to wait before the next check, in nanoseconds; 0 if it is its turn, or the budget is
         *     spent, or the store has been failing for too long. A caller that is not the first checks from time to time
         *     whether the outage has lasted too long
         */
        public long look(Budget budget, @Nullable Failing failing) {
            long left = budget.remainingNanos(failing);
            synchronized (Outages.this) {
                boolean first = queue.turns.iterator().next() == this;
                long untilTurn = first ? queue.notBefore - ticker.nanos() : MAX_REST_NANOS;
                return Math.max(0, Math.min(left, untilTurn));
            }
        }

        /**
         * The store was called.
         *
         * @param failed whether it has failed again; if it has replied, the next caller may continue immediately
         */
        public void called(boolean failed) {
            synchronized (Outages.this) {
                queue.rest(failed);
            }
        }

        /** Leaves the queue. */
        @Override
        public void close() {
            synchronized (Outages.this) {
                queue.turns.remove(this);
                if (queue.turns.isEmpty()) {
                    queues.values().remove(queue);
                } else {
                    queue.turns.iterator().next().waiter.run();
                }
            }
        }
    }
}
