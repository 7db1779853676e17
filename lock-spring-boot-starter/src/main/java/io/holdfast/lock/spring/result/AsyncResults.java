package io.holdfast.lock.spring.result;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Holds locks until the futures, stages and publishers that locked methods return are complete.
 *
 * <p>Giving a lock back talks to the store, so it does not happen on the thread that completes the work, which may be an
 * event loop, but on threads kept here or by the lock client, a few of them that do nothing else. Whoever waits for the result
 * goes on on others, and may block. All are daemons that end when idle, so there is nothing to close.
 */
public final class AsyncResults {

    private static final long IDLE_SECONDS = 10;

    /** Fewer than a store has connections: many results that are there at once do not compete for these. */
    private static final int RELEASING_THREADS = 8;

    private final Executor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            work -> daemon(work, "holdfast-result"));
    private final StageLock stages = new StageLock(threads, releasing());

    /** What it has not come to waits in a queue, so nothing that blocks for long may run here. */
    private static Executor releasing() {
        var pool = new ThreadPoolExecutor(
                RELEASING_THREADS,
                RELEASING_THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> daemon(work, "holdfast-release"));
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
            case VALUE -> throw new IllegalArgumentException(call.caller() + " returns a value that is there");
            case STAGE -> stages.run(call);
            case PUBLISHER -> new PublisherLock(call, threads).locked();
        };
    }
}
