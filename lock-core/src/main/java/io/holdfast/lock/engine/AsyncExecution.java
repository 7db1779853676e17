package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code executeAsync}: acquires on a thread of the executor, starts the work there, and holds the lock until the
 * work's stage is complete. The release, which talks to the store, runs on a thread of the client: not on the one that
 * completes the stage, which may be an event loop, and not on the executor, whose threads may all be waiting for this
 * very lock.
 *
 * <p>A cancelled result interrupts its thread only while that thread waits for the lock: the flag that says so, and the
 * interrupt, are guarded by one monitor, so an interrupt never hits the work.
 */
final class AsyncExecution<T extends @Nullable Object> {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    private final Supplier<ClosableHandle> acquire;
    private final Function<? super LockHandle, ? extends CompletionStage<T>> work;
    private final Executor executor;
    private final Executor releasing;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private @Nullable Thread waiting;

    AsyncExecution(
            Supplier<ClosableHandle> acquire,
            Function<? super LockHandle, ? extends CompletionStage<T>> work,
            Executor executor,
            Executor releasing) {
        this.acquire = acquire;
        this.work = work;
        this.executor = executor;
        this.releasing = releasing;
    }

    CompletableFuture<T> start() {
        var unused = result.whenComplete((value, failure) -> interruptIfWaiting());
        try {
            executor.execute(this::run);
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(
                    new IllegalStateException("The executor takes no more work; is the lock client closed?", e));
        }
        return result;
    }

    /** Here if the client is closed already, or there are no more threads, since somebody waits for the result. */
    private void executeOrRun(Runnable task) {
        try {
            releasing.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            task.run();
        }
    }

    private void run() {
        ClosableHandle handle;
        try {
            if (!beginWaiting()) {
                return;
            }
            try {
                handle = acquire.get();
            } finally {
                endWaiting();
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
        stage.whenCompleteAsync((value, failure) -> complete(value, close(handle, failure)), this::executeOrRun);
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
