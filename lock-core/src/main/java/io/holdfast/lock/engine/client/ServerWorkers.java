package io.holdfast.lock.engine.client;

import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.threads.Uninterrupted;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Background work at the store: one worker for each server that has work, on a pool thread, so that a server that hangs does not
 * delay work for the others. A worker ends when it has nothing left to do, since servers come and go.
 *
 * <p>No work is lost: it is added, and a worker is found or created for it, in one step. A worker that finds no more work is
 * removed in the same step. The monitor of this object guards both, and is never held while work is done.
 *
 * <p>Thread-safe.
 *
 * @param <W> a piece of work
 */
public final class ServerWorkers<W> implements AutoCloseable {

    private static final long FIRST_REST_MILLIS = 50;
    private static final long LAST_REST_MILLIS = 1000;

    private final ExecutorService threads;
    private final int portion;
    private final Predicate<List<W>> job;

    /** The workers, by server. Guarded by this monitor, as are the latch below and each worker's work and thread. */
    final Map<String, Worker> workers = new HashMap<>();

    private final CountDownLatch closing = new CountDownLatch(1);

    /**
     * Creates an instance.
     *
     * @param threads runs the workers, and is shut down when this is closed
     * @param portion the maximum number of pieces of work that are done together
     * @param job processes pieces of work, in the order in which they were added; returns whether its worker may continue
     *     immediately. If not, the worker rests: for {@value #FIRST_REST_MILLIS} ms, and twice as long each further time, up to
     *     {@value #LAST_REST_MILLIS} ms
     */
    public ServerWorkers(ExecutorService threads, int portion, Predicate<List<W>> job) {
        this.threads = threads;
        this.portion = portion;
        this.job = job;
    }

    /**
     * Adds work for a server.
     *
     * @return false if this is already closed; then nothing is added
     */
    public synchronized boolean add(String server, List<? extends W> work) {
        if (closing.getCount() == 0) {
            return false;
        }
        Worker busy = workers.computeIfAbsent(server, unused -> {
            Worker begun = new Worker();
            threads.execute(begun);
            return begun;
        });
        busy.waiting.addAll(work);
        return true;
    }

    /**
     * Accepts no more work, and processes the pending work without rests.
     *
     * @param atMost how long this may take; work that is left then is dropped
     */
    public void finish(Duration atMost) {
        synchronized (this) {
            closing.countDown();
        }
        DaemonThreads.end(atMost, threads);
        close();
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

    /** The worker of one server. */
    private final class Worker implements Runnable {

        private final Deque<W> waiting = new ArrayDeque<>();
        private @Nullable Thread thread;
        private long restMillis;

        /** Continues until there is no more work, even after an error or interrupt. */
        @Override
        public void run() {
            for (List<W> next = next(); !next.isEmpty(); next = next()) {
                List<W> work = next;
                DaemonThreads.runGuarded(() -> rest(job.test(work)));
            }
        }

        /** Returns an empty list when the worker has ended. */
        private List<W> next() {
            synchronized (ServerWorkers.this) {
                thread = Thread.currentThread();
                Thread.interrupted(); // a stray interrupt must not break the call that follows
                int number = Math.min(portion, waiting.size());
                List<W> work = Stream.generate(waiting::remove).limit(number).toList();
                if (work.isEmpty()) {
                    workers.values().remove(this);
                }
                return work;
            }
        }

        /**
         * The length is random, so that the clients of one server do not all come back at the same time. Closing ends a rest;
         * an interrupt does not.
         */
        private void rest(boolean goOn) {
            restMillis = goOn ? 0 : Math.min(Math.max(2 * restMillis, FIRST_REST_MILLIS), LAST_REST_MILLIS);
            long millis = restMillis - ThreadLocalRandom.current().nextLong(restMillis / 4 + 1);
            Uninterrupted.await(closing, TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }
}
