package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.spring.coroutine.LockedRun;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A locked method that was called where waiting is forbidden: other threads acquire, run it, and release. */
final class DeferredStage {

    private final AsyncCall call;
    private final Executor threads;
    private final CompletableFuture<Object> result = new CompletableFuture<>();
    private final Thread caller = Thread.currentThread();
    private volatile @Nullable CompletionStage<Object> stage;
    private volatile @Nullable Object work;

    DeferredStage(AsyncCall call, Executor threads) {
        this.call = call;
        this.threads = threads;
    }

    CompletableFuture<Object> start() {
        CompletableFuture<Object> held;
        try {
            held = Answers.required(
                    call.template().get().executeAsync(call.request(), this::runLocked), "executeAsync");
        } catch (RuntimeException | Error failure) {
            refuseElsewhere(failure);
            return result;
        }
        var unused = result.whenComplete((value, failure) -> {
            held.cancel(true);
            cancelIfCancelled();
        });
        unused = held.whenComplete(this::ended);
        return result;
    }

    private CompletionStage<Object> runLocked(LockHandle lock) {
        CompletionStage<Object> begun;
        try {
            Object returned = Stages.adapted(call.runElsewhere(lock, LockedRun.OF_PUBLISHER));
            work = returned;
            cancelIfCancelled();
            begun = Stages.of(returned, threads);
        } catch (Throwable failure) {
            begun = CompletableFuture.failedFuture(failure);
        }
        stage = begun;
        return begun;
    }

    /** Asked after the work is known, and after the result is: so whichever comes last passes it on. */
    private void cancelIfCancelled() {
        if (result.isCancelled() && work instanceof Future<?> future) {
            future.cancel(true);
        }
    }

    private void ended(@Nullable Object value, @Nullable Throwable failure) {
        CompletionStage<Object> begun = stage;
        if (failure != null && begun == null && !result.isDone()) {
            refuseElsewhere(failure);
        } else if (begun != null && failure instanceof LockLostException loss) {
            lost(begun, loss);
        } else {
            Stages.complete(result, value, failure);
        }
    }

    private void lost(CompletionStage<Object> begun, LockLostException loss) {
        try {
            var unused = begun.whenComplete((own, ownFailure) -> lost(own, ownFailure, loss));
        } catch (RuntimeException | Error refusal) {
            loss.addSuppressed(refusal);
            result.completeExceptionally(loss);
        }
    }

    private void lost(@Nullable Object own, @Nullable Throwable ownFailure, LockLostException loss) {
        boolean stands = loss != ownFailure && Losses.isTolerated(call.rules(), loss);
        Stages.complete(result, own, stands ? ownFailure : loss);
    }

    /** It may have been refused before the caller came to ask. */
    private void refuseElsewhere(Throwable failure) {
        if (Thread.currentThread() == caller) {
            threads.execute(() -> refuse(failure));
        } else {
            refuse(failure);
        }
    }

    private void refuse(Throwable failure) {
        try {
            var unused = Stages.<Object>of(call.rules().refused(failure), threads)
                    .whenComplete((value, e) -> Stages.complete(result, value, e));
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }
}
