package io.holdfast.lock.spring.result;

import io.holdfast.lock.store.DaemonThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
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

    /** Fewer than a store has connections: many results that are there at once do not compete for these. */
    private static final int RELEASING_THREADS = 8;

    private static final int LAST_WORDS_MILLIS = 500;

    private final ExecutorService threads =
            DaemonThreads.pool(Integer.MAX_VALUE, DaemonThreads.named("holdfast-result"));

    /** What it has not come to waits in a queue, so nothing that blocks for long may run here. */
    private final ExecutorService releasing =
            DaemonThreads.pool(RELEASING_THREADS, DaemonThreads.named("holdfast-release"));

    private final Executor results = task -> DaemonThreads.executeOrRun(threads, task);
    private final StageLock stages = new StageLock(results, release -> DaemonThreads.executeOrRun(releasing, release));

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
            case SUSPENDED -> SuspendSupport.required().run(call);
            case PUBLISHER -> new PublisherLock(call, results).locked();
        };
    }
}
