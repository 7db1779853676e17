package io.holdfast.lock.engine;

import io.holdfast.lock.store.DaemonThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The threads of asynchronous work, by what they do.
 *
 * <p>Acquiring may be left to an executor of the application's. Releasing is not: that executor's threads may all be waiting
 * for the very lock. Many works may end at the same moment, so {@value #RELEASING} threads release, one lock after the other,
 * and the rest queues; with a thread for each, they would wait for connections, and some in vain. What depends on a result is
 * run by others again: it is the application's, and may block.
 */
final class AsyncThreads implements AutoCloseable {

    private static final int RELEASING = 8;
    private static final int IDLE_SECONDS = 10;

    private final ExecutorService unbounded = Executors.newCachedThreadPool(DaemonThreads.numbered("holdfast-async-"));
    private final ThreadPoolExecutor releasing = new ThreadPoolExecutor(
            RELEASING,
            RELEASING,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.numbered("holdfast-release-"));
    private final Executor acquiring;

    /** @param acquiring the application's; null for threads of our own */
    AsyncThreads(@Nullable Executor acquiring) {
        this.acquiring = acquiring == null ? unbounded : acquiring;
        releasing.allowCoreThreadTimeOut(true);
    }

    /** @throws RejectedExecutionException if that executor takes no more, or after {@link #close} */
    void acquire(Runnable task) {
        acquiring.execute(task);
    }

    /** On this thread after {@link #close}, since somebody waits for the result. */
    void release(Runnable task) {
        executeOrRun(releasing, task);
    }

    /** As {@link #release}. */
    void complete(Runnable task) {
        executeOrRun(unbounded, task);
    }

    private static void executeOrRun(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException closed) {
            task.run();
        }
    }

    /** What was begun goes on. */
    @Override
    public void close() {
        unbounded.shutdown();
        releasing.shutdown();
    }
}
