package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The central door to distributed locks. Thread-safe; one for each client.
 *
 * <pre>{@code
 * lockTemplate.execute("order:" + id, () -> charge(id));
 * }</pre>
 *
 * <p>Calls of the same thread are reentrant, whichever method was used: a thread that holds a key gets it again without
 * asking Redis, and only its last exit frees it.
 *
 * <p>The lock is renewed while it is held, also when a lease is given explicitly, unless the request says
 * {@code renew(false)}.
 *
 * <p>Every method that acquires may throw {@link LockStoreException} (Redis did not answer or refused),
 * {@link LockInterruptedException} (the thread was interrupted while it waited; the flag is kept),
 * {@link LockLostException} (this thread held the key already, and lost it) and {@link IllegalStateException} (the
 * client is closed; the request has a {@code minHold} and this thread holds the key already; or the request is
 * {@code EXCLUSIVE} and this thread holds the key {@code SHARED}, so that it would wait for itself: also from the methods that
 * try, for it could not succeed later either). Every method that takes
 * a key as a text throws {@link LockKeyException} if the text cannot be one, see {@link LockKey}.
 */
public interface LockTemplate {

    /**
     * Runs the work under the lock.
     *
     * @param request what to lock; waits 5 s unless told otherwise
     * @param work runs on this thread while the lock is held, and is given the lock
     * @param <T> the work's result
     * @param <E> what the work may throw; it passes through untouched
     * @return the work's result
     * @throws E what the work throws
     * @throws LockNotAcquiredException if the lock was not free in time; the work did not run
     * @throws LockLostException if the lock was lost before the work ended; what the work threw is suppressed inside
     */
    <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedFunction<T, E> work)
            throws E;

    /**
     * Runs the work under the lock, see {@link #execute(LockRequest, LockedFunction)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held, and is given the lock
     * @param <T> the work's result
     * @param <E> what the work may throw
     * @return the work's result
     * @throws E what the work throws
     */
    default <T extends @Nullable Object, E extends Throwable> T execute(String key, LockedFunction<T, E> work)
            throws E {
        return execute(LockRequest.of(key), work);
    }

    /**
     * Runs the work under the lock, see {@link #execute(LockRequest, LockedFunction)}.
     *
     * @param request what to lock
     * @param work runs on this thread while the lock is held, and is given the lock
     * @param <E> what the work may throw
     * @throws E what the work throws
     */
    @SuppressWarnings("NullAway") // the lambda's Void is nullable
    default <E extends Throwable> void execute(LockRequest request, LockedConsumer<E> work) throws E {
        this.<@Nullable Void, E>execute(request, lock -> {
            work.accept(lock);
            return null;
        });
    }

    /**
     * Runs the work under the lock, see {@link #execute(LockRequest, LockedFunction)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held, and is given the lock
     * @param <E> what the work may throw
     * @throws E what the work throws
     */
    default <E extends Throwable> void execute(String key, LockedConsumer<E> work) throws E {
        execute(LockRequest.of(key), work);
    }

    /**
     * Runs the work under the lock, see {@link #execute(LockRequest, LockedFunction)}.
     *
     * @param request what to lock; waits 5 s unless told otherwise
     * @param work runs on this thread while the lock is held
     * @param <T> the work's result
     * @param <E> what the work may throw; it passes through untouched
     * @return the work's result
     * @throws E what the work throws
     * @throws LockNotAcquiredException if the lock was not free in time; the work did not run
     * @throws LockLostException if the lock was lost before the work ended; what the work threw is suppressed inside
     */
    default <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCallable<T, E> work)
            throws E {
        return this.<T, E>execute(request, lock -> work.call());
    }

    /**
     * Runs the work under the lock, see {@link #execute(LockRequest, LockedCallable)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held
     * @param <T> the work's result
     * @param <E> what the work may throw
     * @return the work's result
     * @throws E what the work throws
     */
    default <T extends @Nullable Object, E extends Throwable> T execute(String key, LockedCallable<T, E> work)
            throws E {
        return execute(LockRequest.of(key), work);
    }

    /**
     * Runs the work under the lock, see {@link #execute(LockRequest, LockedCallable)}.
     *
     * @param request what to lock
     * @param work runs on this thread while the lock is held
     * @param <E> what the work may throw
     * @throws E what the work throws
     */
    @SuppressWarnings("NullAway") // the lambda's Void is nullable
    default <E extends Throwable> void execute(LockRequest request, LockedRunnable<E> work) throws E {
        this.<@Nullable Void, E>execute(request, () -> {
            work.run();
            return null;
        });
    }

    /**
     * Runs the work under the lock, see {@link #execute(LockRequest, LockedCallable)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held
     * @param <E> what the work may throw
     * @throws E what the work throws
     */
    default <E extends Throwable> void execute(String key, LockedRunnable<E> work) throws E {
        execute(LockRequest.of(key), work);
    }

    /**
     * Runs the work if the lock is free.
     *
     * @param request what to lock; one try unless it has a {@code waitFor}
     * @param work runs on this thread while the lock is held, and is given the lock
     * @param <T> the work's result
     * @param <E> what the work may throw; it passes through untouched
     * @return {@link LockResult.Executed} or {@link LockResult.NotAcquired}, never null
     * @throws E what the work throws
     * @throws LockLostException if the lock was lost before the work ended; what the work threw is suppressed inside
     */
    <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(
            LockRequest request, LockedFunction<T, E> work) throws E;

    /**
     * Runs the work if the lock is free, see {@link #tryExecute(LockRequest, LockedFunction)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held, and is given the lock
     * @param <T> the work's result
     * @param <E> what the work may throw
     * @return the outcome
     * @throws E what the work throws
     */
    default <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(
            String key, LockedFunction<T, E> work) throws E {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * Runs the work if the lock is free, see {@link #tryExecute(LockRequest, LockedFunction)}.
     *
     * @param request what to lock
     * @param work runs on this thread while the lock is held, and is given the lock
     * @param <E> what the work may throw
     * @return the outcome
     * @throws E what the work throws
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
     * Runs the work if the lock is free, see {@link #tryExecute(LockRequest, LockedFunction)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held, and is given the lock
     * @param <E> what the work may throw
     * @return the outcome
     * @throws E what the work throws
     */
    default <E extends Throwable> LockResult<@Nullable Void> tryExecute(String key, LockedConsumer<E> work) throws E {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * Runs the work if the lock is free, see {@link #tryExecute(LockRequest, LockedFunction)}.
     *
     * @param request what to lock; one try unless it has a {@code waitFor}
     * @param work runs on this thread while the lock is held
     * @param <T> the work's result
     * @param <E> what the work may throw; it passes through untouched
     * @return the outcome
     * @throws E what the work throws
     */
    default <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(
            LockRequest request, LockedCallable<T, E> work) throws E {
        return this.<T, E>tryExecute(request, lock -> work.call());
    }

    /**
     * Runs the work if the lock is free, see {@link #tryExecute(LockRequest, LockedCallable)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held
     * @param <T> the work's result
     * @param <E> what the work may throw
     * @return the outcome
     * @throws E what the work throws
     */
    default <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(
            String key, LockedCallable<T, E> work) throws E {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * Runs the work if the lock is free, see {@link #tryExecute(LockRequest, LockedCallable)}.
     *
     * @param request what to lock
     * @param work runs on this thread while the lock is held
     * @param <E> what the work may throw
     * @return the outcome
     * @throws E what the work throws
     */
    @SuppressWarnings("NullAway") // the lambda's Void is nullable
    default <E extends Throwable> LockResult<@Nullable Void> tryExecute(LockRequest request, LockedRunnable<E> work)
            throws E {
        return this.<@Nullable Void, E>tryExecute(request, () -> {
            work.run();
            return null;
        });
    }

    /**
     * Runs the work if the lock is free, see {@link #tryExecute(LockRequest, LockedCallable)}.
     *
     * @param key what to lock
     * @param work runs on this thread while the lock is held
     * @param <E> what the work may throw
     * @return the outcome
     * @throws E what the work throws
     */
    default <E extends Throwable> LockResult<@Nullable Void> tryExecute(String key, LockedRunnable<E> work) throws E {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * Acquires, without a thread that waits, starts the work on another thread, and holds the lock until the stage that the work
     * returned is complete. Calls for the same exclusive, unfair lock are served in the order in which they are made. Cancelling
     * the returned future while it waits ends the wait; once the work has started, the lock is held until its stage completes
     * all the same.
     *
     * @param request what to lock; waits 5 s unless told otherwise
     * @param work is called on a thread of the client's executor while the lock is held, and is given the lock. The lock
     *     belongs to that thread until the work returns, and is detached then
     * @param <T> the work's result
     * @return completes as the work's stage does, after the lock was released; or exceptionally with what
     *     {@link #execute(LockRequest, LockedCallable)} would throw, or with a {@link LockOverloadException} if too many
     *     wait
     */
    <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Function<? super LockHandle, ? extends CompletionStage<T>> work);

    /**
     * See {@link #executeAsync(LockRequest, Function)}.
     *
     * @param key what to lock
     * @param work is called on a thread of the client's executor while the lock is held, and is given the lock
     * @param <T> the work's result
     * @return completes as the work's stage does, after the lock was released
     */
    default <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String key, Function<? super LockHandle, ? extends CompletionStage<T>> work) {
        return executeAsync(LockRequest.of(key), work);
    }

    /**
     * See {@link #executeAsync(LockRequest, Function)}.
     *
     * @param request what to lock; waits 5 s unless told otherwise
     * @param work is called on a thread of the client's executor while the lock is held
     * @param <T> the work's result
     * @return completes as the work's stage does, after the lock was released
     */
    default <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Supplier<? extends CompletionStage<T>> work) {
        return this.<T>executeAsync(request, lock -> work.get());
    }

    /**
     * See {@link #executeAsync(LockRequest, Function)}.
     *
     * @param key what to lock
     * @param work is called on a thread of the client's executor while the lock is held
     * @param <T> the work's result
     * @return completes as the work's stage does, after the lock was released
     */
    default <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String key, Supplier<? extends CompletionStage<T>> work) {
        return executeAsync(LockRequest.of(key), work);
    }

    /**
     * Acquires the lock.
     *
     * @param request what to lock; waits 5 s unless told otherwise
     * @return the handle, to be closed by the caller
     * @throws LockNotAcquiredException if the lock was not free in time
     */
    LockHandle acquire(LockRequest request);

    /**
     * Acquires the lock, see {@link #acquire(LockRequest)}.
     *
     * @param key what to lock
     * @return the handle, to be closed by the caller
     * @throws LockNotAcquiredException if the lock was not free in time
     */
    default LockHandle acquire(String key) {
        return acquire(LockRequest.of(key));
    }

    /**
     * Acquires the lock if it is free.
     *
     * @param request what to lock; one try unless it has a {@code waitFor}
     * @return the handle, to be closed by the caller, or empty
     */
    Optional<LockHandle> tryAcquire(LockRequest request);

    /**
     * Acquires the lock if it is free, see {@link #tryAcquire(LockRequest)}.
     *
     * @param key what to lock
     * @return the handle, to be closed by the caller, or empty
     */
    default Optional<LockHandle> tryAcquire(String key) {
        return tryAcquire(LockRequest.of(key));
    }

    /**
     * The lock as a {@link java.util.concurrent.locks.Lock}.
     *
     * @param request what to lock, and how: one key, or several, which are then locked all or none. Its {@code waitFor} is not
     *     used, since each method of the view says how it waits
     * @return a view; any number of views of one key are the same lock
     */
    RemoteLock getLock(LockRequest request);

    /**
     * The lock as a {@link java.util.concurrent.locks.Lock}.
     *
     * @param key what to lock
     * @return a view; any number of views of one key are the same lock
     */
    default RemoteLock getLock(String key) {
        return getLock(LockRequest.of(key));
    }

    /**
     * The lock, granted in the order in which threads of all clients arrived at the store.
     *
     * @param key the lock
     * @return a view; any number of views of one key are the same lock
     */
    default RemoteLock getFairLock(String key) {
        return getLock(LockRequest.of(key).fair(true));
    }

    /**
     * The two halves of a read-write lock.
     *
     * @param request what to lock, and how; one key. Its mode, limit and {@code waitFor} are not used
     * @return views; any number of views of one key are the same lock
     * @throws IllegalArgumentException if the request has several keys
     */
    RemoteReadWriteLock getReadWriteLock(LockRequest request);

    /**
     * The two halves of a read-write lock, see {@link #getReadWriteLock(LockRequest)}.
     *
     * @param key the lock
     * @return views; any number of views of one key are the same lock
     */
    default RemoteReadWriteLock getReadWriteLock(String key) {
        return getReadWriteLock(LockRequest.of(key));
    }

    /**
     * A semaphore: {@code lock} takes a permit, {@code unlock} gives it back. Permits of a client that dies come back
     * when their leases end. Like every lock it is reentrant: a thread needs one permit, however often it locks.
     *
     * @param key the semaphore
     * @param permits how many threads of all clients may hold it together; 1 or more, and the same for all who use it
     * @return a view; any number of views of one key are the same semaphore
     * @throws IllegalArgumentException if {@code permits} is less
     */
    default RemoteLock getSemaphore(String key, int permits) {
        return getLock(LockRequest.of(key).shared(permits));
    }

    /**
     * Goes on only if every lock that this thread holds, whichever method acquired it, lasts for at least the given time:
     * for a step that cannot be undone, such as a commit. Handles that were detached are not the thread's. A lost lock
     * counts until its handle is closed, or its view unlocked.
     *
     * <p>The rule is that renewals succeed and all locks have more left; then nobody is asked. A lock that has less left is
     * extended by one call to the store, also if its lease is a fixed limit. With zero, none is extended.
     *
     * @param atLeast 0 to 365 days
     * @throws LockLostException if a lock was lost; of several, any of them
     * @throws LockStoreException if a lock had to be extended, and the store refused or did not answer; it is held until
     *     its former deadline
     * @throws IllegalArgumentException if the time is out of range, or longer than any lease may be where the locks are kept
     */
    void ensureHeld(Duration atLeast);

    /**
     * Asks the store who holds a lock, since when, from where, and how many wait.
     *
     * @param key the lock
     * @return its state at one moment
     * @throws LockStoreException if the store refused or did not answer
     */
    LockSnapshot inspect(String key);

    /**
     * Takes the lock away from whoever holds it. A holder of this client learns of it before this method returns. One of
     * another client is told by a message, and asks the store at once; should the message be lost, or its client not listen yet
     * since it has never held a lock for a second, or the store be a quorum, it learns of it at its next renewal or at
     * release. Until then two may believe that they hold the lock: only the fencing token protects then. For operators, not for the ordinary path.
     *
     * @param key the lock
     * @return who held it: nobody, one exclusive holder, or all shared ones
     * @throws LockStoreException if the store refused or did not answer
     */
    List<LockHolder> forceRelease(String key);
}
