package io.holdfast.lock.engine.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background work at the store: one worker for each server that has work, on a thread of a pool, so that a server that hangs delays
 * nothing on the others. A worker ends when it has nothing left to do, since servers come and go.
 *
 * <p>No work is lost: it is added, and a worker is found or made for it, in one step. A worker looks for work in the step that
 * removes it. The monitor of this object guards both, and is never held while work is done.
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
         * Does a portion of the work.
         *
         * @param work in the order in which it was added, at least one piece
         * @return how long the worker pauses before it continues, in nanoseconds
         */
        long work(List<W> work);
    }

    private final ExecutorService threads;
    private final int portion;
    private final Supplier<Job<W>> jobs;

    /** By server. Guarded by this monitor, as is all that follows, and what the workers hold. */
    private final Map<String, Worker> workers = new HashMap<>();

    private final CountDownLatch closing = new CountDownLatch(1);

    /**
     * Creates an instance.
     *
     * @param threads runs the workers, and is shut down when this is closed
     * @param portion how many pieces of work are done together at most
     * @param jobs makes the job of each worker
     */
    public ServerWorkers(ExecutorService threads, int portion, Supplier<Job<W>> jobs) {
        this.threads = threads;
        this.portion = portion;
        this.jobs = jobs;
    }

    /**
     * Adds work for a server.
     *
     * @return false if this was closed before; then nothing was added
     */
    public synchronized boolean add(String server, List<? extends W> work) {
        if (closing.getCount() == 0) {
            return false;
        }
        Worker busy = workers.get(server);
        if (busy == null) {
            busy = new Worker(server);
            threads.execute(busy);
            workers.put(server, busy);
        }
        busy.waiting.addAll(work);
        return true;
    }

    /**
     * Accepts no more work, and does the pending work without pauses.
     *
     * @param atMost for how long; what is left then is dropped
     */
    public synchronized void finish(Duration atMost) {
        boolean interrupted = Thread.interrupted();
        closing.countDown();
        long end = System.nanoTime() + atMost.toNanos();
        try {
            for (long left = atMost.toNanos(); !workers.isEmpty() && left > 0; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Accepts no more work, and drops the pending work. */
    @Override
    public synchronized void close() {
        closing.countDown();
        for (Worker worker : workers.values()) {
            worker.waiting.clear();
            if (worker.thread != null) {
                worker.thread.interrupt();
            }
        }
        threads.shutdown();
    }

    /** How many workers there are, for tests. */
    synchronized int size() {
        return workers.size();
    }

    /** One server's. */
    private final class Worker implements Runnable {

        private final String server;
        private final Job<W> job = jobs.get();
        private final Deque<W> waiting = new ArrayDeque<>();
        private @Nullable Thread thread;

        Worker(String server) {
            this.server = server;
        }

        /** Continues until there is no more work, after any error or interrupt. */
        @Override
        public void run() {
            for (List<W> work = next(); !work.isEmpty(); work = next()) {
                try {
                    pause(job.work(work));
                } catch (Throwable e) { // Kotlin has no checked exceptions
                    log.error(
                            "Unexpected error in thread {}; continuing",
                            Thread.currentThread().getName(),
                            e);
                }
            }
        }

        /** Returns nothing when the worker has ended. */
        private List<W> next() {
            synchronized (ServerWorkers.this) {
                thread = Thread.currentThread();
                Thread.interrupted(); // a stray one must not break the call that follows
                List<W> work = new ArrayList<>(Math.min(portion, waiting.size()));
                while (work.size() < portion && !waiting.isEmpty()) {
                    work.add(waiting.remove());
                }
                if (work.isEmpty()) {
                    workers.remove(server, this);
                    ServerWorkers.this.notifyAll();
                }
                return work;
            }
        }

        /** Interrupted only when this is closed. */
        private void pause(long nanos) {
            try {
                boolean unused = closing.await(nanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                log.debug("Ignored an interrupt of a background thread; it stops when the client is closed");
            }
        }
    }
}
