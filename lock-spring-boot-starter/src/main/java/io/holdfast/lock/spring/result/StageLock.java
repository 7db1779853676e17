package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.spring.result.AsyncCall.Rules;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds a lock until the stage or future that a method returned is complete. The caller gets a future of its own, which
 * completes after the lock was released, and with the loss if the lock was lost.
 *
 * <p>The caller's thread waits for the lock and runs the method, as for any locked method, so that locks are reentrant.
 * Only where waiting is forbidden, on an event loop, {@link DeferredStage} has it done by another thread.
 */
final class StageLock {

    private static final Logger log = LoggerFactory.getLogger(StageLock.class);

    private final Executor threads;
    private final Executor releasing;

    /**
     * @param threads complete results, and wait for futures that do not support callbacks; take everything
     * @param releasing gives locks back; takes everything
     */
    StageLock(Executor threads, Executor releasing) {
        this.threads = threads;
        this.releasing = releasing;
    }

    @Nullable
    @SuppressWarnings("FutureReturnValueIgnored") // the caller's
    Object run(AsyncCall call) throws Throwable {
        return EventLoops.isCurrentThreadOne() ? new DeferredStage(call.kept(), threads).start() : here(call);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller's
    private @Nullable Object here(AsyncCall call) throws Throwable {
        LockHandle handle;
        try {
            handle = Answers.required(call.template().get().acquire(call.request()), "acquire");
        } catch (RuntimeException failure) {
            return Objects.requireNonNullElseGet(
                    call.rules().refused(failure), () -> CompletableFuture.completedFuture(null));
        }
        return hold(handle, call);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller's
    private @Nullable Object hold(LockHandle handle, AsyncCall call) throws Throwable {
        Object result;
        try {
            result = Stages.adapted(call.run(handle));
        } catch (Throwable failure) {
            throw closed(handle, failure, call.rules());
        }
        if (result == null) {
            throwIfAny(closing(handle, null, call.rules()));
            return null;
        }
        try {
            detach(handle);
            if (call.request().interruptOnLoss()) {
                cancelWhenLost(handle, result);
            }
            return follow(Stages.of(result, threads), result, handle, call.rules());
        } catch (Throwable refusal) {
            return CompletableFuture.failedFuture(closed(handle, Stages.refused(result, refusal), call.rules()));
        }
    }

    private <T> CompletableFuture<T> follow(CompletionStage<T> stage, Object source, LockHandle handle, Rules rules) {
        CompletableFuture<T> result = new CompletableFuture<>();
        stage.whenCompleteAsync(
                (value, failure) -> {
                    Throwable outcome = closing(handle, failure, rules);
                    threads.execute(() -> Stages.complete(result, value, outcome));
                },
                releasing);
        var unused = result.whenComplete((value, failure) -> {
            if (result.isCancelled() && source instanceof Future<?> work) {
                work.cancel(true);
            }
        });
        return result;
    }

    /** The method may have closed its handle; then there is nothing to pass on. */
    private static void detach(LockHandle handle) {
        try {
            handle.detach();
        } catch (IllegalStateException closedByTheMethod) {
            log.debug("{} was closed before its work was complete", handle, closedByTheMethod);
        }
    }

    private static void cancelWhenLost(LockHandle handle, Object result) {
        try {
            handle.onLost(loss -> {
                if (result instanceof Future<?> work) {
                    work.cancel(true);
                } else if (result instanceof CompletionStage<?> stage) {
                    stage.toCompletableFuture().cancel(true);
                }
            });
        } catch (IllegalStateException closedByTheMethod) {
            log.debug("{} was closed before its work was complete", handle, closedByTheMethod);
        }
    }

    private static void throwIfAny(@Nullable Throwable failure) throws Throwable {
        if (failure != null) {
            throw failure;
        }
    }

    /** Closes the handle; returns the failure to report to the caller. */
    private static @Nullable Throwable closing(LockHandle handle, @Nullable Throwable failure, Rules rules) {
        if (failure != null) {
            return closed(handle, failure, rules);
        }
        try {
            handle.close();
            return null;
        } catch (LockLostException lost) {
            return Losses.isTolerated(rules, lost) ? null : lost;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    /** Closes after a failure; if the lock was lost, that is what counts, with the failure suppressed inside. */
    private static Throwable closed(LockHandle handle, Throwable failure, Rules rules) {
        try {
            handle.close();
            return failure;
        } catch (RuntimeException | Error e) {
            if (e instanceof LockLostException lost
                    && (Losses.isSame(failure, lost) || Losses.isTolerated(rules, lost))) {
                return failure;
            }
            e.addSuppressed(failure);
            return e;
        }
    }
}
