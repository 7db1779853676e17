package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.threads.Pause;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code executeAsync} calls of a client. Each acquires in {@linkplain Steps steps} on threads of the client, begins the work
 * on the executor, and holds the lock until the work's stage is complete. No thread waits for the lock: between two steps the call
 * is woken as a thread would be, or by a timer.
 *
 * <p>The release calls the store, so it also runs on a thread of the client, not on the thread that completes the stage, which may
 * be an event loop. Only a few threads acquire and release: if many stages completed at once, their releases would otherwise
 * compete for the store's connections, and some would time out. These threads do nothing else: the work and the dependents of the
 * result run elsewhere, and may block. All threads end when idle.
 *
 * <p><b>No wakeup is lost, and only one thread at a time continues a call.</b> A call counts its wakeups. The wakeup that makes
 * the count positive hands the call to a thread. That thread reads the count before each step, and subtracts it afterwards: if
 * anything is left, there has been another wakeup, and the thread runs another step; if not, it leaves the call to the next
 * wakeup, in the same atomic operation. A timer that is cancelled too late counts as one more wakeup.
 */
final class AsyncCalls {

    private static final Logger log = LoggerFactory.getLogger(AsyncCalls.class);

    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofMillis(500);

    /** Fewer than the connections of the store, because other callers need connections too. */
    private static final int ACQUIRING_THREADS = 6;

    private final ExecutorService acquiring = DaemonThreads.pool(ACQUIRING_THREADS, "holdfast-acquire-");

    /** Completes results. */
    private final ExecutorService completing = DaemonThreads.pool(Integer.MAX_VALUE, "holdfast-async-");

    private final DaemonThreads.Timer timer = DaemonThreads.timer();

    private final Pause pause;
    private final HeldLocks locks;
    private final Executor working;
    private final int maxAsyncWaiting;
    final Semaphore places;

    /**
     * @param executor starts the work; null to use threads of the client
     * @param maxAsyncWaiting how many calls may wait
     * @param pause how time passes between two steps; unless this is {@link Pause#PARK}, the acquiring thread calls it,
     *     and no wakeup ends it
     */
    AsyncCalls(HeldLocks locks, @Nullable Executor executor, int maxAsyncWaiting, Pause pause) {
        this.locks = locks;
        this.working = executor == null ? completing : executor;
        this.maxAsyncWaiting = maxAsyncWaiting;
        this.places = new Semaphore(maxAsyncWaiting);
        this.pause = pause;
    }

    /**
     * Starts a call, unless too many are waiting.
     *
     * @param key the first key of the request
     * @param acquisition creates an acquisition by the given caller, without starting it
     * @param required returns the handle, or throws an exception that explains why there is none
     */
    <T extends @Nullable Object> CompletableFuture<T> execute(
            LockKey key,
            Function<Caller, Steps> acquisition,
            Function<AcquireResult, Handle> required,
            Function<? super LockHandle, ? extends CompletionStage<T>> work) {
        if (!places.tryAcquire()) {
            return CompletableFuture.failedFuture(new LockOverloadException("Lock '" + key + "' was not requested: "
                    + maxAsyncWaiting + " asynchronous calls (executeAsync, reactive methods, event loops) are already"
                    + " waiting for locks, which is the limit. Reduce the number of waiting calls, shorten waitFor, or"
                    + " raise the limit (holdfast.async.max-waiting, LockEngineBuilder.maxAsyncWaiting)."));
        }
        return new Execution<>(required, work).start(acquisition);
    }

    /**
     * Stops the threads, and waits for them to end, because web servers warn about threads that outlive their application; a thread that
     * runs a user's work may take longer.
     */
    void close() {
        timer.close();
        if (!DaemonThreads.end(SHUTDOWN_TIMEOUT, acquiring, locks.releasing, completing)) {
            log.debug("A call to executeAsync is still running while the client is being closed");
        }
    }

    /**
     * One call. It occupies one of the places for waiting calls, and gives it back exactly once, when it no longer waits for
     * the lock.
     */
    private final class Execution<T extends @Nullable Object> implements Runnable {

        private final Function<AcquireResult, Handle> required;
        private final Function<? super LockHandle, ? extends CompletionStage<T>> work;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private final AtomicInteger wakeups = new AtomicInteger(1);
        private final Caller caller = Caller.task(this::wake);
        private @Nullable Steps steps;
        private Runnable cancelTimer = () -> {};

        Execution(
                Function<AcquireResult, Handle> required,
                Function<? super LockHandle, ? extends CompletionStage<T>> work) {
            this.required = required;
            this.work = work;
        }

        CompletableFuture<T> start(Function<Caller, Steps> acquisition) {
            try {
                Steps begun = acquisition.apply(caller);
                steps = begun;
                var unused = result.whenComplete((value, failure) -> wake());
                begun.lineUp();
                acquiring.execute(this);
            } catch (Throwable e) { // Kotlin has no checked exceptions
                places.release();
                DaemonThreads.runGuarded(() -> Optional.ofNullable(steps).ifPresent(begun -> begun.abandon(e)));
                boolean closed = steps != null && e instanceof RejectedExecutionException;
                result.completeExceptionally(closed ? new IllegalStateException("The lock client is closed", e) : e);
            }
            return result;
        }

        /** Makes the call check whether it can continue. */
        private void wake() {
            int former = wakeups.getAndIncrement();
            if (former == 0) {
                try {
                    acquiring.execute(this);
                } catch (RejectedExecutionException closed) {
                    DaemonThreads.create(this, "holdfast-acquire").start();
                }
            }
        }

        @Override
        public void run() {
            Handle handle = null;
            Throwable failure = null;
            try {
                handle = acquire();
                if (handle == null) {
                    return;
                }
            } catch (Throwable e) {
                failure = e;
            }
            cancelTimer.run();
            places.release();
            if (handle == null) {
                completeLater(null, failure);
            } else {
                begin(handle);
            }
        }

        /** Continues as far as possible. Returns null if it has to wait. */
        private @Nullable Handle acquire() throws InterruptedException {
            Steps acquisition = Objects.requireNonNull(steps);
            int seen;
            do {
                seen = wakeups.get();
                if (result.isDone()) {
                    acquisition.interrupt(new InterruptedException("The result of executeAsync was cancelled"));
                }
                long left = acquisition.proceed();
                cancelTimer.run();
                if (left == 0) {
                    return required.apply(acquisition.result());
                }
                if (pause == Pause.PARK) {
                    cancelTimer = timer.after(left, this::wake);
                } else {
                    pause.pause(left);
                    wakeups.incrementAndGet();
                }
            } while (result.isDone() || wakeups.addAndGet(-seen) > 0);
            return null;
        }

        private void begin(Handle handle) {
            if (result.isDone()) {
                close(handle.unused(), null);
                return;
            }
            try {
                working.execute(() -> startWork(handle));
            } catch (Throwable e) {
                boolean rejected = e instanceof RejectedExecutionException;
                Throwable failure = rejected
                        ? new IllegalStateException("The executor rejected the task; the lock client may be closed", e)
                        : e;
                completeLater(null, close(handle.unused(), failure));
            }
        }

        private void startWork(Handle handle) {
            if (result.isDone()) {
                DaemonThreads.executeOrRun(locks.releasing, () -> close(handle.unused(), null));
                return;
            }
            locks.adopt(caller.holds(), () -> work(handle));
        }

        /** Anything that is thrown, including a checked exception from Kotlin code, ends the call. */
        private void work(Handle handle) {
            try {
                handle.interruptOnLoss();
                CompletionStage<T> stage = Objects.requireNonNull(
                        work.apply(handle), "The function passed to executeAsync returned null instead of a stage");
                detach(handle, stage);
                follow(handle, stage);
            } catch (Throwable e) {
                complete(null, close(handle, e));
            }
        }

        private void detach(Handle handle, CompletionStage<T> stage) {
            try {
                handle.detach();
                if (handle.interruptsOnLoss()) {
                    handle.onLost(loss -> stage.toCompletableFuture().cancel(true));
                }
            } catch (IllegalStateException closedByTheWork) {
                log.debug("{} was closed before its work was complete", handle, closedByTheWork);
            }
        }

        private void follow(Handle handle, CompletionStage<T> stage) {
            try {
                stage.whenCompleteAsync(
                        (value, failure) -> completeLater(value, close(handle, failure)),
                        release -> DaemonThreads.executeOrRun(locks.releasing, release));
            } catch (RuntimeException | Error e) {
                throw new IllegalStateException(
                        "The lock was released although its work may still be running, because the stage of that work, a "
                                + stage.getClass().getName()
                                + ", accepts no dependents. Return a CompletableFuture instead.",
                        e);
            }
        }

        private static @Nullable Throwable close(Handle handle, @Nullable Throwable failure) {
            try {
                handle.closeAfter(failure);
                return failure;
            } catch (Throwable lost) {
                return lost;
            }
        }

        /** Completes the result on a thread that may block. */
        private void completeLater(@Nullable T value, @Nullable Throwable failure) {
            DaemonThreads.executeOrRun(completing, () -> complete(value, failure));
        }

        @SuppressWarnings("NullAway") // the stage's own value, null only if T allows it
        private void complete(@Nullable T value, @Nullable Throwable failure) {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        }
    }
}
