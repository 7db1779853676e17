package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code executeAsync}: acquires on a thread of the executor, starts the work there, and holds the lock until the
 * work's stage is complete. The release, which talks to the store, runs on a thread of the client: not on the one that
 * completes the stage, which may be an event loop, and not on the executor, whose threads may all be waiting for this
 * very lock. Few threads release, so that many stages that complete at once do not compete for the store's connections, and
 * what does not get one in time fails. They do nothing else: whoever waits for the result goes on elsewhere, and may block.
 *
 * <p>A cancelled result interrupts its thread only while that thread waits for the lock: the flag that says so, and the
 * interrupt, are guarded by one monitor, so an interrupt never hits the work.
 */
final class AsyncExecution<T extends @Nullable Object> {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    private final Supplier<ClosableHandle> acquire;
    private final Function<? super LockHandle, ? extends CompletionStage<T>> work;
    private final Threads threads;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private @Nullable Thread waiting;

    AsyncExecution(
            Supplier<ClosableHandle> acquire,
            Function<? super LockHandle, ? extends CompletionStage<T>> work,
            Threads threads) {
        this.acquire = acquire;
        this.work = work;
        this.threads = threads;
    }

    /**
     * What such executions of one client have in common.
     *
     * @param waiting acquire, and begin the work
     * @param releasing give locks back
     * @param telling complete results
     * @param places how many more may wait
     */
    record Threads(Executor waiting, ExecutorService releasing, ExecutorService telling, Semaphore places) {

        private static final int LAST_WORDS_MILLIS = 500;

        /**
         * Those of the client take no more work. They are awaited, since web servers warn of threads that outlast their
         * application; but one that runs a user's work may take longer.
         */
        void close() {
            releasing.shutdown();
            telling.shutdown();
            try {
                boolean ended = releasing.awaitTermination(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS)
                        && telling.awaitTermination(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS);
                log.trace("The threads of the closed client have ended: {}", ended);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    CompletableFuture<T> start() {
        var unused = result.whenComplete((value, failure) -> interruptIfWaiting());
        try {
            threads.waiting().execute(this::run);
        } catch (RejectedExecutionException e) {
            threads.places().release();
            result.completeExceptionally(
                    new IllegalStateException("The executor takes no more work; is the lock client closed?", e));
        } catch (RuntimeException | Error e) {
            threads.places().release();
            result.completeExceptionally(e);
        }
        return result;
    }

    /** Here if the client is closed already, or there are no more threads, since somebody waits for the result. */
    private static void executeOrRun(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            task.run();
        }
    }

    private void run() {
        ClosableHandle handle;
        try {
            if (!beginWaiting()) {
                threads.places().release();
                return;
            }
            try {
                handle = acquire.get();
            } finally {
                endWaiting();
                threads.places().release();
            }
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
            return;
        }
        if (result.isDone()) {
            close(handle, null);
            return;
        }
        startWork(handle);
    }

    private void startWork(ClosableHandle handle) {
        CompletionStage<T> stage;
        try {
            stage = Objects.requireNonNull(
                    work.apply(handle), "The work of executeAsync returned null instead of a stage");
        } catch (RuntimeException | Error e) {
            complete(null, close(handle, e));
            return;
        }
        detach(handle, stage);
        stage.whenCompleteAsync(
                (value, failure) -> {
                    Throwable outcome = close(handle, failure);
                    executeOrRun(threads.telling(), () -> complete(value, outcome));
                },
                release -> executeOrRun(threads.releasing(), release));
    }

    private static void detach(ClosableHandle handle, CompletionStage<?> stage) {
        try {
            handle.detach();
            if (handle.interruptsOnLoss()) {
                handle.onLost(loss -> stage.toCompletableFuture().cancel(true));
            }
        } catch (IllegalStateException closedByTheWork) {
            log.debug("{} was closed before its work was complete", handle, closedByTheWork);
        }
    }

    @SuppressWarnings("NullAway") // the stage's own value, null only if T allows it
    private void complete(@Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }

    private static @Nullable Throwable close(ClosableHandle handle, @Nullable Throwable failure) {
        try {
            handle.closeAfter(failure);
            return failure;
        } catch (RuntimeException | Error lost) {
            return lost;
        }
    }

    private synchronized boolean beginWaiting() {
        if (result.isDone()) {
            return false;
        }
        waiting = Thread.currentThread();
        return true;
    }

    private synchronized void endWaiting() {
        waiting = null;
        if (result.isCancelled()) {
            Thread.interrupted();
        }
    }

    private synchronized void interruptIfWaiting() {
        if (waiting != null && result.isCancelled()) {
            waiting.interrupt();
        }
    }
}
