package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code executeAsync}: acquires on a thread of the executor, starts the work there, and holds the lock until the
 * work's stage is complete. The release, which talks to the store, does not run on the thread that completes the stage,
 * which may be an event loop, see {@link AsyncThreads}.
 *
 * <p>A cancelled result interrupts its thread only while that thread waits for the lock: the flag that says so, and the
 * interrupt, are guarded by one monitor, so an interrupt never hits the work.
 */
final class AsyncExecution<T extends @Nullable Object> {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    private final Supplier<ClosableHandle> acquire;
    private final Function<? super LockHandle, ? extends CompletionStage<T>> work;
    private final AsyncThreads threads;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private @Nullable Thread waiting;

    AsyncExecution(
            Supplier<ClosableHandle> acquire,
            Function<? super LockHandle, ? extends CompletionStage<T>> work,
            AsyncThreads threads) {
        this.acquire = acquire;
        this.work = work;
        this.threads = threads;
    }

    CompletableFuture<T> start() {
        var unused = result.whenComplete((value, failure) -> interruptIfWaiting());
        try {
            threads.acquire(this::run);
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(
                    new IllegalStateException("The executor takes no more work; is the lock client closed?", e));
        }
        return result;
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
        stage.whenCompleteAsync((value, failure) -> end(handle, value, failure), threads::release);
    }

    private void end(ClosableHandle handle, T value, @Nullable Throwable failure) {
        Throwable known = close(handle, failure);
        threads.complete(() -> complete(value, known));
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
        } catch (LockException lost) {
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
