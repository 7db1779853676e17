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
 * Background work at the store: one worker for each server, with a thread of its own, so that a server that hangs delays
 * nothing on the others. A worker and its thread end when idle, since servers come and go.
 *
 * <p>No work is lost: it is added, a worker is found or made for it, and its thread is started or signalled, all under one
 * lock. A thread looks for work under the same lock in the step that removes its worker. The lock is never held while work
 * is done.
 *
 * <p>Thread-safe.
 *
 * @param <W> a piece of work
 */
public final class ServerWorkers<W> implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ServerWorkers.class);

    /**
     * What one worker does, on one thread at a time.
     *
     * @param <W> a piece of work
     */
    @FunctionalInterface
    public interface Job<W> {

        /**
         * Does all that was waiting.
         *
         * @param work in the order in which it was added
         * @return how long the worker pauses before it continues, in nanoseconds
         */
        long work(List<W> work);
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition workerEnded = lock.newCondition();
    private final String threadName;
    private final long idleNanos;
    private final Supplier<Job<W>> jobs;
    private final boolean withThreads;

    /** By server. Guarded by the lock, as is all that follows, and what the workers hold. */
    private final Map<String, Worker> workers = new HashMap<>();

    private boolean closed;
    private boolean dropping;

    /**
     * Creates an instance.
     *
     * @param threadName what its threads are called
     * @param idle for how long a worker stays without work
     * @param jobs makes the job of each worker
     */
    public ServerWorkers(String threadName, Duration idle, Supplier<Job<W>> jobs) {
        this(threadName, idle, jobs, true);
    }

    /** Without threads, {@link #workPending()} is called by the owner: for tests on virtual time. */
    ServerWorkers(String threadName, Duration idle, Supplier<Job<W>> jobs, boolean withThreads) {
        this.threadName = threadName;
        this.idleNanos = idle.toNanos();
        this.jobs = jobs;
        this.withThreads = withThreads;
    }

    /**
     * Adds work for a server.
     *
     * @param server which one
     * @param work what is done together, if the worker comes to all of it
     * @return false if this was closed before; then nothing was added
     */
    public boolean add(String server, List<? extends W> work) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            workers.computeIfAbsent(server, Worker::new).add(work);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether what is left of the work is dropped, also of what a job has taken already. */
    public boolean isDropping() {
        lock.lock();
        try {
            return dropping;
        } finally {
            lock.unlock();
        }
    }

    /** How many workers there are, for tests. */
    public int size() {
        lock.lock();
        try {
            return workers.size();
        } finally {
            lock.unlock();
        }
    }

    /** Does what is waiting on this thread, for tests. */
    void workPending() {
        for (Worker worker : allWorkers()) {
            for (List<W> work = worker.takeAll(); !work.isEmpty(); work = worker.takeAll()) {
                worker.job.work(work);
            }
        }
    }

    private List<Worker> allWorkers() {
        lock.lock();
        try {
            return new ArrayList<>(workers.values());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Accepts no more work, and does the pending work without pauses.
     *
     * @param atMost for how long; what is left then is dropped
     * @return how much was dropped
     */
    public int finish(Duration atMost) {
        boolean interrupted = Thread.interrupted();
        lock.lock();
        try {
            closed = true;
            workers.values().forEach(Worker::wake);
            long left = atMost.toNanos();
            while (!workers.isEmpty() && left > 0) {
                try {
                    left = workerEnded.awaitNanos(left);
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

    /** Accepts no more work, and drops the pending work. */
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
        for (Worker worker : workers.values()) {
            left += worker.drop();
        }
        return left;
    }

    /** One server's. */
    private final class Worker {

        private final String server;
        private final Job<W> job = jobs.get();
        private final Condition changed = lock.newCondition();
        private List<W> waiting = new ArrayList<>();
        private long restUntil = System.nanoTime();
        private @Nullable Thread thread;

        Worker(String server) {
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

        /** Continues until the worker ends, after any error or interrupt. */
        private void run() {
            while (awaitWork()) {
                try {
                    rest(job.work(takeAll()));
                } catch (RuntimeException | Error e) {
                    log.error("Unexpected error in thread {}; continuing", threadName, e);
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

        /** Returns false when the worker has ended, in the step that looked for work for the last time. */
        private boolean awaitWork() {
            lock.lock();
            try {
                long idleUntil = System.nanoTime() + idleNanos + Math.max(0, restUntil - System.nanoTime());
                while (true) {
                    long now = System.nanoTime();
                    long left = waiting.isEmpty() ? idleUntil - now : restUntil - now;
                    if (dropping || (waiting.isEmpty() && (closed || left <= 0))) {
                        workers.remove(server);
                        workerEnded.signalAll();
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

        @SuppressWarnings("WaitNotInLoop") // the caller has the loop
        private void await(long nanos) {
            try {
                long unused = changed.awaitNanos(nanos);
            } catch (InterruptedException e) {
                log.debug("Ignored an interrupt of thread {}; it stops only when the client is closed", threadName);
            }
        }
    }
}
