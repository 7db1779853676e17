package io.holdfast.lock.api;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The methods of {@link LockTemplate} that run work under a lock. Each takes a key or a {@link LockRequest}; the work may
 * receive the lock, and may return a result. See {@link LockTemplate} for the exceptions that all of them may throw.
 */
public interface LockedExecution {

    /**
     * Runs the work under the lock.
     *
     * @param request what to lock; waits for 5 s by default
     * @param work runs on this thread while the lock is held, and receives the lock
     * @param <T> the work's result
     * @param <E> the exception the work may throw, which is passed on unchanged
     * @return the work's result
     * @throws E the exception thrown by the work
     * @throws LockNotAcquiredException if the lock was not acquired in time; the work did not run
     * @throws LockLostException if the lock was lost before the work ended; any exception thrown by the work is added to it
     *     as a suppressed exception
     */
    <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedFunction<T, E> work)
            throws E;

    /**
     * Runs the work under the lock; see {@link #execute(LockRequest, LockedFunction)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held, and receives the lock
     * @param <T> the work's result
     * @param <E> the exception the work may throw
     * @return the work's result
     * @throws E the exception thrown by the work
     */
    default <T extends @Nullable Object, E extends Throwable> T execute(String key, LockedFunction<T, E> work)
            throws E {
        return execute(LockRequest.of(key), work);
    }

    /**
     * Runs the work under the lock; see {@link #execute(LockRequest, LockedFunction)}.
     *
     * @param request what to lock
     * @param work runs on this thread while the lock is held, and receives the lock
     * @param <E> the exception the work may throw
     * @throws E the exception thrown by the work
     */
    @SuppressWarnings("NullAway") // the lambda's Void is nullable
    default <E extends Throwable> void execute(LockRequest request, LockedConsumer<E> work) throws E {
        this.<@Nullable Void, E>execute(request, lock -> {
            work.accept(lock);
            return null;
        });
    }

    /**
     * Runs the work under the lock; see {@link #execute(LockRequest, LockedFunction)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held, and receives the lock
     * @param <E> the exception the work may throw
     * @throws E the exception thrown by the work
     */
    default <E extends Throwable> void execute(String key, LockedConsumer<E> work) throws E {
        execute(LockRequest.of(key), work);
    }

    /**
     * Runs the work under the lock; see {@link #execute(LockRequest, LockedFunction)}.
     *
     * @param request what to lock; waits for 5 s by default
     * @param work runs on this thread while the lock is held
     * @param <T> the work's result
     * @param <E> the exception the work may throw, which is passed on unchanged
     * @return the work's result
     * @throws E the exception thrown by the work
     * @throws LockNotAcquiredException if the lock was not acquired in time; the work did not run
     * @throws LockLostException if the lock was lost before the work ended; any exception thrown by the work is added to it
     *     as a suppressed exception
     */
    default <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCallable<T, E> work)
            throws E {
        return this.<T, E>execute(request, lock -> work.call());
    }

    /**
     * Runs the work under the lock; see {@link #execute(LockRequest, LockedCallable)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held
     * @param <T> the work's result
     * @param <E> the exception the work may throw
     * @return the work's result
     * @throws E the exception thrown by the work
     */
    default <T extends @Nullable Object, E extends Throwable> T execute(String key, LockedCallable<T, E> work)
            throws E {
        return execute(LockRequest.of(key), work);
    }

    /**
     * Runs the work under the lock; see {@link #execute(LockRequest, LockedCallable)}.
     *
     * @param request what to lock
     * @param work runs on this thread while the lock is held
     * @param <E> the exception the work may throw
     * @throws E the exception thrown by the work
     */
    default <E extends Throwable> void execute(LockRequest request, LockedRunnable<E> work) throws E {
        execute(request, (LockedConsumer<E>) lock -> work.run());
    }

    /**
     * Runs the work under the lock; see {@link #execute(LockRequest, LockedCallable)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held
     * @param <E> the exception the work may throw
     * @throws E the exception thrown by the work
     */
    default <E extends Throwable> void execute(String key, LockedRunnable<E> work) throws E {
        execute(LockRequest.of(key), work);
    }

    /**
     * Runs the work if the lock is free.
     *
     * @param request what to lock; a single try unless it has a {@code waitFor}
     * @param work runs on this thread while the lock is held, and receives the lock
     * @param <T> the work's result
     * @param <E> the exception the work may throw, which is passed on unchanged
     * @return {@link LockResult.Executed} or {@link LockResult.NotAcquired}, never null
     * @throws E the exception thrown by the work
     * @throws LockLostException if the lock was lost before the work ended; any exception thrown by the work is added to it
     *     as a suppressed exception
     */
    <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(
            LockRequest request, LockedFunction<T, E> work) throws E;

    /**
     * Runs the work if the lock is free; see {@link #tryExecute(LockRequest, LockedFunction)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held, and receives the lock
     * @param <T> the work's result
     * @param <E> the exception the work may throw
     * @return the outcome
     * @throws E the exception thrown by the work
     */
    default <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(
            String key, LockedFunction<T, E> work) throws E {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * Runs the work if the lock is free; see {@link #tryExecute(LockRequest, LockedFunction)}.
     *
     * @param request what to lock
     * @param work runs on this thread while the lock is held, and receives the lock
     * @param <E> the exception the work may throw
     * @return the outcome
     * @throws E the exception thrown by the work
     */
    @SuppressWarnings("NullAway") // the lambda's Void is nullable
    default <E extends Throwable> LockResult<@Nullable Void> tryExecute(LockRequest request, LockedConsumer<E> work)
            throws E {
        return this.<@Nullable Void, E>tryExecute(request, lock -> {
            work.accept(lock);
            return null;
        });
    }

    /**
     * Runs the work if the lock is free; see {@link #tryExecute(LockRequest, LockedFunction)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held, and receives the lock
     * @param <E> the exception the work may throw
     * @return the outcome
     * @throws E the exception thrown by the work
     */
    default <E extends Throwable> LockResult<@Nullable Void> tryExecute(String key, LockedConsumer<E> work) throws E {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * Runs the work if the lock is free; see {@link #tryExecute(LockRequest, LockedFunction)}.
     *
     * @param request what to lock; a single try unless it has a {@code waitFor}
     * @param work runs on this thread while the lock is held
     * @param <T> the work's result
     * @param <E> the exception the work may throw, which is passed on unchanged
     * @return the outcome
     * @throws E the exception thrown by the work
     */
    default <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(
            LockRequest request, LockedCallable<T, E> work) throws E {
        return this.<T, E>tryExecute(request, lock -> work.call());
    }

    /**
     * Runs the work if the lock is free; see {@link #tryExecute(LockRequest, LockedCallable)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held
     * @param <T> the work's result
     * @param <E> the exception the work may throw
     * @return the outcome
     * @throws E the exception thrown by the work
     */
    default <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(
            String key, LockedCallable<T, E> work) throws E {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * Runs the work if the lock is free; see {@link #tryExecute(LockRequest, LockedCallable)}.
     *
     * @param request what to lock
     * @param work runs on this thread while the lock is held
     * @param <E> the exception the work may throw
     * @return the outcome
     * @throws E the exception thrown by the work
     */
    default <E extends Throwable> LockResult<@Nullable Void> tryExecute(LockRequest request, LockedRunnable<E> work)
            throws E {
        return tryExecute(request, (LockedConsumer<E>) lock -> work.run());
    }

    /**
     * Runs the work if the lock is free; see {@link #tryExecute(LockRequest, LockedCallable)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held
     * @param <E> the exception the work may throw
     * @return the outcome
     * @throws E the exception thrown by the work
     */
    default <E extends Throwable> LockResult<@Nullable Void> tryExecute(String key, LockedRunnable<E> work) throws E {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * Acquires the lock without blocking a thread, starts the work on another thread, and holds the lock until the stage returned
     * by the work has completed. Calls for the same exclusive, non-fair lock are served in the order in which they were made.
     * Cancelling the returned future ends the wait; once the work has started, the lock is still held until its stage completes.
     *
     * @param request what to lock; waits for 5 s by default
     * @param work called with the lock, on a thread of the client's executor, while the lock is held. The lock belongs to that
     *     thread until the work returns, and is then detached
     * @param <T> the work's result
     * @return a future that completes like the work's stage, after the lock has been released; or exceptionally, with any
     *     exception that {@link #execute(LockRequest, LockedCallable)} would throw, or with a {@link LockOverloadException}
     *     if too many calls are waiting
     */
    <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Function<? super LockHandle, ? extends CompletionStage<T>> work);

    /**
     * See {@link #executeAsync(LockRequest, Function)}.
     *
     * @param key what to lock
     * @param work called with the lock, on a thread of the client's executor, while the lock is held
     * @param <T> the work's result
     * @return a future that completes like the work's stage, after the lock has been released
     */
    default <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String key, Function<? super LockHandle, ? extends CompletionStage<T>> work) {
        return executeAsync(LockRequest.of(key), work);
    }

    /**
     * See {@link #executeAsync(LockRequest, Function)}.
     *
     * @param request what to lock; waits for 5 s by default
     * @param work called on a thread of the client's executor while the lock is held
     * @param <T> the work's result
     * @return a future that completes like the work's stage, after the lock has been released
     */
    default <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Supplier<? extends CompletionStage<T>> work) {
        return this.<T>executeAsync(request, lock -> work.get());
    }

    /**
     * See {@link #executeAsync(LockRequest, Function)}.
     *
     * @param key what to lock
     * @param work called on a thread of the client's executor while the lock is held
     * @param <T> the work's result
     * @return a future that completes like the work's stage, after the lock has been released
     */
    default <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String key, Supplier<? extends CompletionStage<T>> work) {
        return executeAsync(LockRequest.of(key), work);
    }
}
