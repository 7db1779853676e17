package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.engine.acquire.AcquireResult;
import io.holdfast.lock.engine.acquire.Caller;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.hold.ClosableHandle;
import io.holdfast.lock.store.DaemonThreads;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code executeAsync}: acquires in {@linkplain Steps steps} on threads of the client, begins the work on the executor, and
 * holds the lock until the work's stage is complete. No thread waits for the lock: between two steps this object is woken as a
 * thread would be, or by a timer.
 *
 * <p>The release calls the store, so it also runs on a thread of the client, not on the thread that completes the stage, which
 * may be an event loop. Only a few threads acquire and release: if many stages complete at once, they would otherwise compete for
 * the store's connections, and some would time out. These threads do nothing else: the work and the dependents of the result run
 * elsewhere, and may block.
 *
 * <p><b>No wake-up is lost, and only one thread at a time continues.</b> A wake-up while it waits makes it run. A wake-up while
 * it runs makes it check once more: one compare-and-set makes it wait only if there was no wake-up since the step began.
 */
final class AsyncExecution<T extends @Nullable Object> implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(AsyncExecution.class);

    private enum State {
        /** No thread runs it. */
        WAITING,
        /** A thread will run it. */
        SCHEDULED,
        /** A thread runs it. */
        RUNNING,
        /** A thread runs it, and must check again. */
        WOKEN
    }

    private final Function<? super LockHandle, ? extends CompletionStage<T>> work;
    private final AsyncThreads threads;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.SCHEDULED);
    private final Caller caller = Caller.task(this::wake);
    private final AsyncThreads.Timeout timeout;
    private @Nullable Acquiring acquiring;

    /** How the lock is acquired. */
    interface Acquiring {

        Steps steps();

        /** The handle, or an exception that says why there is none. */
        ClosableHandle required(AcquireResult found);

        /** Lets this thread reenter the acquired locks while the action runs. */
        void adopt(Runnable action);
    }

    AsyncExecution(Function<? super LockHandle, ? extends CompletionStage<T>> work, AsyncThreads threads) {
        this.work = work;
        this.threads = threads;
        this.timeout = threads.timeout(this::wake);
    }

    /** The caller that acquires. */
    Caller caller() {
        return caller;
    }

    /** Starts. The caller has already called {@link AsyncThreads#tryEnter}. */
    CompletableFuture<T> start(Acquiring how) {
        acquiring = how;
        var unused = result.whenComplete((value, failure) -> wake());
        try {
            how.steps().lineUp();
            threads.acquiring().execute(this);
        } catch (RuntimeException | Error e) {
            try {
                how.steps().abandon(e);
            } finally {
                threads.leave();
            }
            boolean closed = e instanceof RejectedExecutionException;
            result.completeExceptionally(closed ? new IllegalStateException("The lock client is closed", e) : e);
        }
        return result;
    }

    /** Makes it check whether it can continue. */
    void wake() {
        State former = state.getAndUpdate(
                now -> now == State.WAITING ? State.SCHEDULED : now == State.RUNNING ? State.WOKEN : now);
        if (former == State.WAITING) {
            goOn();
        }
    }

    private void goOn() {
        try {
            threads.acquiring().execute(this);
        } catch (RejectedExecutionException closed) {
            DaemonThreads.create(this, "holdfast-acquire").start();
        }
    }

    @Override
    public void run() {
        state.set(State.RUNNING);
        try {
            while (step()) {
                state.set(State.RUNNING);
            }
        } catch (Throwable e) {
            settled();
            DaemonThreads.executeOrRun(threads.telling(), () -> result.completeExceptionally(e));
        }
    }

    /** Returns whether it was woken meanwhile. */
    private boolean step() throws InterruptedException {
        Acquiring how = Objects.requireNonNull(acquiring);
        if (result.isDone()) {
            how.steps().interrupt(new InterruptedException("The result of executeAsync was cancelled"));
        }
        long left = how.steps().proceed();
        if (left > 0) {
            timeout.within(left);
            return result.isDone() || !state.compareAndSet(State.RUNNING, State.WAITING);
        }
        ClosableHandle handle = how.required(how.steps().result());
        settled();
        begin(handle);
        return false;
    }

    /** It no longer waits for the lock. */
    private void settled() {
        timeout.cancel();
        threads.leave();
    }

    private void begin(ClosableHandle handle) {
        if (result.isDone()) {
            close(handle, null);
            return;
        }
        try {
            threads.working().execute(() -> startWork(handle));
        } catch (RejectedExecutionException e) {
            fail(handle, new IllegalStateException("The executor rejected the task; the lock client may be closed", e));
        } catch (Throwable e) {
            fail(handle, e);
        }
    }

    private void fail(ClosableHandle handle, Throwable failure) {
        Throwable outcome = close(handle, failure);
        DaemonThreads.executeOrRun(threads.telling(), () -> complete(null, outcome));
    }

    private void startWork(ClosableHandle handle) {
        if (result.isDone()) {
            DaemonThreads.executeOrRun(threads.releasing(), () -> close(handle, null));
            return;
        }
        Objects.requireNonNull(acquiring).adopt(() -> work(handle));
    }

    /** Whatever is thrown, also a checked exception of Kotlin, ends the call. */
    private void work(ClosableHandle handle) {
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

    private void follow(ClosableHandle handle, CompletionStage<T> stage) {
        try {
            stage.whenCompleteAsync(
                    (value, failure) -> {
                        Throwable outcome = close(handle, failure);
                        DaemonThreads.executeOrRun(threads.telling(), () -> complete(value, outcome));
                    },
                    release -> DaemonThreads.executeOrRun(threads.releasing(), release));
        } catch (RuntimeException | Error e) {
            throw new IllegalStateException(
                    "The lock was released although its work may still be running, because the stage of that work, a "
                            + stage.getClass().getName()
                            + ", accepts no dependents. Return a CompletableFuture instead.",
                    e);
        }
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
        } catch (Throwable lost) {
            return lost;
        }
    }
}
