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
 * event loop, but on threads kept here or by the lock client: on {@value #RELEASING}, so that many works that end together
 * do not fight for connections. What may block runs on others, one for each. All are daemons that end when idle, so there
 * is nothing to close.
 */
public final class AsyncResults {

    private static final int RELEASING = 8;
    private static final long IDLE_SECONDS = 10;

    private final Executor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            work -> daemon(work, "holdfast-result"));
    private final StageLock stages = new StageLock(threads, releasing());

    private static Executor releasing() {
        var releasing = new ThreadPoolExecutor(
                RELEASING,
                RELEASING,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> daemon(work, "holdfast-release"));
        releasing.allowCoreThreadTimeOut(true);
        return releasing;
    }

    /** It inherits nothing: what the starting thread has in its thread-locals is not for others to see. */
    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(null, work, name, 0, false);
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
