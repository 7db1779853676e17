package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.coroutine.LockedRun;
import java.io.Serial;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/**
 * The lock of one subscription. It belongs to the lock client all the time, which holds it until {@link #end} is
 * complete; so a lock that is granted just when the subscriber cancels has no moment in which nobody would release it.
 */
final class LockSession {

    private final AsyncCall call;
    private final Executor threads;
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();
    private final Sinks.Empty<Object> lost = Sinks.empty();
    private final Thread subscriber = Thread.currentThread();
    private final LockedRun run;
    private volatile @Nullable LockHandle lock;

    private LockSession(AsyncCall call, Executor threads) {
        this.call = call;
        this.threads = threads;
        this.run = call.begin();
    }

    /** What failed beside the work, told apart from whatever the work may fail with. */
    static final class SessionException extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1L;

        private final boolean begun;
        private final Throwable failure;

        private SessionException(boolean begun, Throwable failure) {
            super(null, failure, false, false);
            this.begun = begun;
            this.failure = failure;
        }

        /** Whether the lock was acquired; then it is the release that failed. */
        boolean hasBegun() {
            return begun;
        }

        Throwable failure() {
            return failure;
        }
    }

    /**
     * Acquires at each subscription, on another thread, and emits there while that thread has the lock. A cancel ends
     * the wait.
     *
     * @param threads notify the subscriber where a lock thread cannot
     */
    static Mono<LockSession> begin(AsyncCall call, Executor threads) {
        return Mono.create(sink -> new LockSession(call, threads).acquire(sink));
    }

    private void acquire(MonoSink<LockSession> sink) {
        // A loss cancels the subscription in any case, see lost().
        LockRequest request = call.request().interruptOnLoss(false);
        CompletableFuture<@Nullable Void> holding;
        try {
            holding = Answers.required(
                    call.template().get().<@Nullable Void>executeAsync(request, handle -> granted(handle, sink)),
                    "executeAsync");
        } catch (RuntimeException | Error failure) {
            threads.execute(() -> tell(failure, sink));
            return;
        }
        var unused = holding.whenComplete((nothing, failure) -> ended(failure, sink));
        sink.onCancel(() -> {
            end.complete(null);
            holding.cancel(true);
        });
    }

    private CompletionStage<@Nullable Void> granted(LockHandle handle, MonoSink<LockSession> sink) {
        lock = handle;
        if (!call.rules().toleratesLoss()) {
            handle.onLost(loss -> threads.execute(lost::tryEmitEmpty));
        }
        sink.success(this);
        return end;
    }

    /** All may have happened before the subscriber comes to ask for it; what follows is not for its thread. */
    private void ended(@Nullable Throwable failure, MonoSink<LockSession> sink) {
        if (Thread.currentThread() == subscriber) {
            threads.execute(() -> tell(failure, sink));
        } else {
            tell(failure, sink);
        }
    }

    private void tell(@Nullable Throwable failure, MonoSink<LockSession> sink) {
        run.released();
        if (lock == null) {
            sink.error(new SessionException(false, failure == null ? Answers.withoutWork("executeAsync") : failure));
        }
        Stages.complete(released, null, failure);
    }

    /** The lock; once this session has been emitted. */
    LockHandle lock() {
        return Objects.requireNonNull(lock);
    }

    /** What watches the work. */
    LockedRun run() {
        return run;
    }

    /** Completes when the lock is lost, unless that is tolerated. */
    Mono<Object> lost() {
        return lost.asMono();
    }

    /** Gives the lock back, and completes after that, or fails with the loss. */
    Mono<Void> release() {
        return releaseUnless(this::isTolerated);
    }

    /** As {@link #release()}, but does not report a loss that the subscriber already knows of. */
    Mono<Void> releaseAfter(Throwable told) {
        return releaseUnless(failure -> isSame(told, failure) || isTolerated(failure));
    }

    private Mono<Void> releaseUnless(Predicate<Throwable> known) {
        return Mono.<Void>create(this::release)
                .onErrorResume(known, failure -> Mono.empty())
                .onErrorMap(failure -> new SessionException(true, failure));
    }

    /** Asks first, so that the answer comes on the thread that released the lock, not on the one that ended the work. */
    private void release(MonoSink<Void> sink) {
        var unused = released.whenComplete((nothing, failure) -> {
            if (failure == null) {
                sink.success();
            } else {
                sink.error(failure);
            }
        });
        endAfterTheWork();
    }

    private void endAfterTheWork() {
        var unused = run.end().whenComplete((nothing, never) -> end.complete(null));
    }

    private static boolean isSame(Throwable told, Throwable failure) {
        return failure instanceof LockLostException loss && Losses.isSame(told, loss);
    }

    private boolean isTolerated(Throwable failure) {
        return failure instanceof LockLostException loss && Losses.isTolerated(call.rules(), loss);
    }

    /** Gives the lock back, and nobody waits for it. */
    Mono<Void> abandon() {
        return Mono.fromRunnable(this::endAfterTheWork);
    }
}
