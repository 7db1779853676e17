package io.holdfast.lock.spring.result;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Sees every future as a stage. */
final class Stages {

    private Stages() {}

    /**
     * {@return the result, or a future that yields it} Advice further inside, such as a cache, may answer for the method: with the
     * value itself, or with a publisher.
     *
     * @param result what came from inside
     */
    static @Nullable Object adapted(@Nullable Object result) {
        if (result == null || result instanceof CompletionStage<?> || result instanceof Future<?>) {
            return result;
        }
        return ReactiveTypes.isReactive(result.getClass())
                ? ReactiveTypes.futureOf(result)
                : CompletableFuture.completedFuture(result);
    }

    /**
     * The stage that ends as the result does.
     *
     * @param result a stage; or a future, for which a thread has to wait; or a value or null, which is complete
     * @param threads one waits
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // what the method declares to return; null only if T allows it
    static <T> CompletionStage<T> of(@Nullable Object result, Executor threads) {
        if (result == null) {
            return CompletableFuture.completedFuture(null);
        }
        if (result instanceof CompletionStage<?> stage) {
            return (CompletionStage<T>) stage;
        }
        if (!(result instanceof Future<?>)) {
            return CompletableFuture.completedFuture((T) result);
        }
        CompletableFuture<T> seen = new CompletableFuture<>();
        threads.execute(() -> await((Future<T>) result, seen));
        return seen;
    }

    private static <T> void await(Future<T> future, CompletableFuture<T> seen) {
        try {
            seen.complete(future.get());
        } catch (ExecutionException e) {
            seen.completeExceptionally(e.getCause());
        } catch (Throwable e) {
            seen.completeExceptionally(e);
        }
    }

    /** What a caller gets if nobody can tell when the work that a result stands for is done. */
    static IllegalStateException refused(Object result, Throwable refusal) {
        return new IllegalStateException(
                "The lock was released although its work may still be running, because the stage of that work, a "
                        + result.getClass().getName() + ", accepts no dependents. Return a CompletableFuture instead.",
                refusal);
    }

    @SuppressWarnings("NullAway") // the stage's own value, null only if T allows it
    static <T> void complete(CompletableFuture<T> result, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }
}
