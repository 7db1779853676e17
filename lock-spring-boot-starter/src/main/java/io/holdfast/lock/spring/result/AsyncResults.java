package io.holdfast.lock.spring.result;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds locks until the futures, stages and publishers that locked methods return are complete.
 *
 * <p>Giving a lock back talks to the store, so it does not happen on the thread that completes the work, which may be an
 * event loop, but on threads kept here or by the lock client, a few of them that do nothing else. Whoever waits for the result
 * goes on on others, and may block. All are daemons that end when idle, and when this is closed; what comes later runs on the
 * thread that it comes from.
 */
public final class AsyncResults implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(AsyncResults.class);

    private static final long IDLE_SECONDS = 10;

    /** Fewer than a store has connections: many results that are there at once do not compete for these. */
    private static final int RELEASING_THREADS = 8;

    private static final int LAST_WORDS_MILLIS = 500;

    /** Nothing else is rejected than what comes after the end, and somebody waits for that. */
    private static final RejectedExecutionHandler LATER = (work, ended) -> work.run();

    private final ExecutorService threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            work -> daemon(work, "holdfast-result"),
            LATER);
    private final ExecutorService releasing = releasing();
    private final StageLock stages = new StageLock(threads, releasing);

    /** What it has not come to waits in a queue, so nothing that blocks for long may run here. */
    private static ExecutorService releasing() {
        var pool = new ThreadPoolExecutor(
                RELEASING_THREADS,
                RELEASING_THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> daemon(work, "holdfast-release"),
                LATER);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Inherits no thread-locals: what the starting thread has in them is not for others to see. */
    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.setDaemon(true);
        return thread;
    }

    /** Ends the threads that are idle, and waits half a second at most for those of each kind that are not: they end when they are done. */
    @Override
    public void close() {
        releasing.shutdown();
        threads.shutdown();
        try {
            boolean ended = releasing.awaitTermination(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS)
                    && threads.awaitTermination(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS);
            log.trace("Threads for results have ended: {}", ended);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Runs the method under its lock, now or, if it returns a publisher, at each subscription.
     *
     * @param kind what the method returns; not {@link ResultKind#VALUE}
     * @param call the call
     * @return what the caller gets: it completes after the lock was released
     * @throws Throwable what the method or the refusal throws
     */
    public @Nullable Object run(ResultKind kind, AsyncCall call) throws Throwable {
        return switch (kind) {
            case VALUE ->
                throw new IllegalArgumentException(
                        call.caller() + " returns a plain value, not an asynchronous result");
            case STAGE -> stages.run(call);
            case PUBLISHER -> new PublisherLock(call, threads).locked();
        };
    }
}
