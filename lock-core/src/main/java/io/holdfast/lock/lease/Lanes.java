package io.holdfast.lock.lease;

import io.holdfast.lock.store.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background work at the store: one lane for each server, with a thread of its own, so that a server that hangs delays
 * nothing on the others. A lane and its thread end when there was nothing to do for a while, since servers come and go.
 *
 * <p>Nothing is forgotten: work is added, a lane is found or made for it, and its thread is started or signalled, all under
 * one lock. A thread looks for work under the same lock in the step that removes its lane. The lock is never held while
 * work is done. A thread that could not be started, for want of memory, is started when more work comes.
 *
 * <p>Thread-safe.
 *
 * @param <W> a piece of work
 */
public final class Lanes<W> implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

    /**
     * Does the work of one lane, on one thread at a time.
     *
     * @param <W> a piece of work
     */
    @FunctionalInterface
    public interface Worker<W> {

        /**
         * Does all that was waiting.
         *
         * @param work in the order in which it was added
         * @return for how long the lane is to rest before it goes on, in nanoseconds
         */
        long work(List<W> work);
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition laneEnded = lock.newCondition();
    private final String threadName;
    private final long idleNanos;
    private final Supplier<Worker<W>> workers;
    private final boolean withThreads;

    /** Guarded by the lock, as is all that follows, and what the lanes hold. */
    private final Map<String, Lane> lanes = new HashMap<>();

    private boolean closed;
    private boolean dropping;

    /**
     * Creates an instance.
     *
     * @param threadName what its threads are called
     * @param idle for how long a lane stays without work
     * @param workers makes one worker for each lane
     */
    public Lanes(String threadName, Duration idle, Supplier<Worker<W>> workers) {
        this(threadName, idle, workers, true);
    }

    /** Without threads, {@link #workPending()} is called by the owner: for tests on virtual time. */
    Lanes(String threadName, Duration idle, Supplier<Worker<W>> workers, boolean withThreads) {
        this.threadName = threadName;
        this.idleNanos = idle.toNanos();
        this.workers = workers;
        this.withThreads = withThreads;
    }

    /**
     * Adds work to a server's lane.
     *
     * @param server which lane
     * @param work what is to be done together, if nothing keeps the lane from it
     * @return false if this was closed before; then nothing was added
     */
    public boolean add(String server, List<? extends W> work) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            lanes.computeIfAbsent(server, Lane::new).add(work);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** How many lanes there are, for tests. */
    public int size() {
        lock.lock();
        try {
            return lanes.size();
        } finally {
            lock.unlock();
        }
    }

    /** Does what is waiting on this thread, for tests. */
    void workPending() {
        for (Lane lane : allLanes()) {
            for (List<W> work = lane.takeAll(); !work.isEmpty(); work = lane.takeAll()) {
                lane.worker.work(work);
            }
        }
    }

    private List<Lane> allLanes() {
        lock.lock();
        try {
            return new ArrayList<>(lanes.values());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes no more work, and does what is waiting, without rests.
     *
     * @param atMost for how long; what is left then is dropped
     * @return how much was dropped
     */
    public int finish(Duration atMost) {
        boolean interrupted = Thread.interrupted();
        lock.lock();
        try {
            closed = true;
            lanes.values().forEach(Lane::wake);
            long left = atMost.toNanos();
            while (!lanes.isEmpty() && left > 0) {
                try {
                    left = laneEnded.awaitNanos(left);
                } catch (InterruptedException e) {
                    interrupted = true;
                    left = 0;
                }
            }
            return drop();
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Takes no more work, and drops what is waiting. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            drop();
        } finally {
            lock.unlock();
        }
    }

    private int drop() {
        dropping = true;
        int left = 0;
        for (Lane lane : lanes.values()) {
            left += lane.drop();
        }
        return left;
    }

    /** One server's. */
    private final class Lane {

        private final String server;
        private final Worker<W> worker = workers.get();
        private final Condition changed = lock.newCondition();
        private List<W> waiting = new ArrayList<>();
        private long restUntil = System.nanoTime();
        private @Nullable Thread thread;

        Lane(String server) {
            this.server = server;
        }

        void add(List<? extends W> work) {
            waiting.addAll(work);
            wake();
        }

        void wake() {
            if (thread == null && withThreads) {
                Thread starting = DaemonThreads.create(this::run, threadName);
                starting.start();
                thread = starting;
            }
            changed.signal();
        }

        int drop() {
            int left = waiting.size();
            waiting.clear();
            if (thread != null) {
                thread.interrupt();
            }
            changed.signal();
            return left;
        }

        List<W> takeAll() {
            lock.lock();
            try {
                List<W> work = waiting;
                waiting = new ArrayList<>();
                return work;
            } finally {
                lock.unlock();
            }
        }

        /** Goes on until the lane ends, whatever goes wrong, and whoever interrupts its thread. */
        private void run() {
            while (awaitWork()) {
                try {
                    rest(worker.work(takeAll()));
                } catch (RuntimeException | Error e) {
                    log.error("Unexpected error on {}; continuing", threadName, e);
                }
            }
        }

        private void rest(long nanos) {
            lock.lock();
            try {
                restUntil = System.nanoTime() + nanos;
            } finally {
                lock.unlock();
            }
        }

        /** Returns false when the lane has ended, in the step that looked for work for the last time. */
        private boolean awaitWork() {
            lock.lock();
            try {
                long idleUntil = System.nanoTime() + idleNanos + Math.max(0, restUntil - System.nanoTime());
                while (true) {
                    long now = System.nanoTime();
                    long left = waiting.isEmpty() ? idleUntil - now : restUntil - now;
                    if (dropping || (waiting.isEmpty() && (closed || left <= 0))) {
                        lanes.remove(server);
                        laneEnded.signalAll();
                        return false;
                    }
                    if (!waiting.isEmpty() && (closed || left <= 0)) {
                        Thread.interrupted(); // a stray one must not break the call that follows
                        return true;
                    }
                    await(left);
                }
            } finally {
                lock.unlock();
            }
        }

        private void await(long nanos) {
            try {
                long unused = changed.awaitNanos(nanos);
            } catch (InterruptedException e) {
                log.debug("{} was interrupted; it ends if the client is closed", threadName);
            }
        }
    }
}
