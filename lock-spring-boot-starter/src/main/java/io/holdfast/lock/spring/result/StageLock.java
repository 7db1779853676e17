package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/**
 * Holds a lock until the stage that a method returned is complete. The caller gets a future of its own, which completes
 * after the lock was released, and with the loss if the lock was lost.
 *
 * <p>The caller's thread waits for the lock and runs the method, as for any locked method, so that locks are reentrant.
 */
final class StageLock {

    private static final Logger log = LoggerFactory.getLogger(StageLock.class);
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", StageLock.class.getClassLoader());

    private final Executor threads;
    private final Executor releasing;

    /**
     * @param threads complete results; take everything
     * @param releasing gives locks back; takes everything
     */
    StageLock(Executor threads, Executor releasing) {
        this.threads = threads;
        this.releasing = releasing;
    }

    @Nullable
    @SuppressWarnings("FutureReturnValueIgnored") // the caller's
    Object run(AsyncCall call) throws Throwable {
        if (REACTOR && Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException(call.caller() + " would wait for its lock on "
                    + Thread.currentThread().getName() + ", a thread that must not block. Return a Mono, which is"
                    + " locked without waiting, or call the method on another thread.");
        }
        LockHandle lock;
        try {
            lock = Answers.required(call.template().get().acquire(call.request()), "acquire");
        } catch (RuntimeException failure) {
            return Objects.requireNonNullElseGet(
                    call.rules().refused(failure), () -> CompletableFuture.completedFuture(null));
        }
        Object result;
        try {
            result = call.run(lock);
        } catch (Throwable failure) {
            throw Objects.requireNonNull(close(lock, call, failure));
        }
        if (result instanceof CompletionStage<?> stage) {
            return follow(stage, lock, call);
        }
        Throwable unfollowed = result instanceof Future<?> future && !future.isDone() ? unfollowed(future, null) : null;
        Throwable failure = close(lock, call, unfollowed);
        if (failure != null) {
            throw failure;
        }
        return result;
    }

    private static IllegalStateException unfollowed(Object result, @Nullable Throwable refusal) {
        return new IllegalStateException(
                "The lock was released although its work may still be running, because "
                        + result.getClass().getName() + " accepts no dependents. Return a CompletableFuture instead.",
                refusal);
    }

    private <T> CompletableFuture<T> follow(CompletionStage<T> stage, LockHandle lock, AsyncCall call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            detach(lock, stage, call);
            stage.whenCompleteAsync(
                    (value, failure) -> {
                        Throwable outcome = close(lock, call, failure);
                        threads.execute(() -> complete(result, value, outcome));
                    },
                    releasing);
        } catch (Throwable refusal) {
            return CompletableFuture.failedFuture(close(lock, call, unfollowed(stage, refusal)));
        }
        var unused = result.whenComplete((value, failure) -> {
            if (result.isCancelled()) {
                cancel(stage);
            }
        });
        return result;
    }

    /** The method may have closed its handle; then there is nothing to pass on. */
    private static void detach(LockHandle lock, CompletionStage<?> stage, AsyncCall call) {
        try {
            lock.detach();
            if (call.request().interruptOnLoss()) {
                lock.onLost(loss -> cancel(stage));
            }
        } catch (IllegalStateException closedByTheMethod) {
            log.debug("{} was closed before its work was complete", lock, closedByTheMethod);
        }
    }

    private static void cancel(CompletionStage<?> stage) {
        stage.toCompletableFuture().cancel(true);
    }

    /** Closes the handle; returns the failure to report to the caller. */
    private static @Nullable Throwable close(LockHandle lock, AsyncCall call, @Nullable Throwable own) {
        try {
            lock.close();
            return own;
        } catch (RuntimeException | Error failure) {
            return call.outcome(own, failure);
        }
    }

    @SuppressWarnings("NullAway") // the stage's own value, null only if T allows it
    private static <T> void complete(CompletableFuture<T> result, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }
}
