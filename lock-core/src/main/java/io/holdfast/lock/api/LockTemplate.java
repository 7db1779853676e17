package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Entry point for distributed locks. Thread-safe; an application needs only one instance.
 *
 * <pre>{@code
 * lockTemplate.execute("order:" + id, () -> charge(id));
 * }</pre>
 *
 * <p>Locks are reentrant per thread, across all methods: only the last release of a thread frees the lock. A thread that holds
 * a key acquires it again without a call to Redis. One call is needed only if the lease has to be extended: if the request has
 * a longer lease than the current one, or if the lock is not renewed and would expire before the requested lease ends.
 *
 * <p>Leases, including explicit ones, are renewed while the lock is held, unless the request has {@code renew(false)}. Methods that
 * take a key, and requests without these options, use the {@linkplain LockRequest defaults} of the client: a lease of {@code
 * holdfast.lease}, 30 s; a wait of {@code holdfast.wait-for}, 5 s, except in {@code try…} methods, which do not wait.
 *
 * <p>All methods that acquire a lock may throw {@link LockStoreException} (Redis failed), {@link LockInterruptedException} (the
 * thread was interrupted while waiting; its flag is set), {@link LockLostException} (this thread held the key and has lost it)
 * and {@link IllegalStateException} (the client is closed; the request has a {@code minHold} and this thread already holds the
 * key; or the request is {@code EXCLUSIVE} and this thread holds the key {@code SHARED}, so that it would deadlock with itself).
 * The {@code try…} methods throw these exceptions as well, because trying again would not help. Methods that take a key as
 * text throw {@link LockKeyException} if it is invalid; see {@link LockKey}.
 */
public interface LockTemplate {

    /**
     * Runs the work under the lock.
     *
     * @param request what to lock; waits for {@code holdfast.wait-for}, default 5 s, unless it has a {@code waitFor}
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
     * @param request what to lock; waits for {@code holdfast.wait-for}, default 5 s, unless it has a {@code waitFor}
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
     * @param request what to lock; waits for {@code holdfast.wait-for}, default 5 s, unless it has a {@code waitFor}
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
     * @param request what to lock; waits for {@code holdfast.wait-for}, default 5 s, unless it has a {@code waitFor}
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

    /**
     * Acquires the lock.
     *
     * @param request what to lock; waits for {@code holdfast.wait-for}, default 5 s, unless it has a {@code waitFor}
     * @return the handle, to be closed by the caller
     * @throws LockNotAcquiredException if the lock was not acquired in time
     */
    LockHandle acquire(LockRequest request);

    /**
     * Acquires the lock; see {@link #acquire(LockRequest)}.
     *
     * @param key what to lock
     * @return the handle, to be closed by the caller
     * @throws LockNotAcquiredException if the lock was not acquired in time
     */
    default LockHandle acquire(String key) {
        return acquire(LockRequest.of(key));
    }

    /**
     * Acquires the lock if it is free.
     *
     * @param request what to lock; a single try unless it has a {@code waitFor}
     * @return the handle, to be closed by the caller, or empty
     */
    Optional<LockHandle> tryAcquire(LockRequest request);

    /**
     * Acquires the lock if it is free; see {@link #tryAcquire(LockRequest)}.
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
     * @param request what to lock; several keys are locked together or not at all. Its {@code waitFor} is ignored,
     *     because each method of {@code Lock} defines how it waits
     * @return a view; all views of a key are the same lock
     */
    RemoteLock getLock(LockRequest request);

    /**
     * The lock as a {@link java.util.concurrent.locks.Lock}.
     *
     * @param key what to lock
     * @return a view; all views of a key are the same lock
     */
    default RemoteLock getLock(String key) {
        return getLock(LockRequest.of(key));
    }

    /**
     * The lock, granted in the order in which the threads of all clients arrived at the store.
     *
     * @param key the lock
     * @return a view; all views of a key are the same lock
     */
    default RemoteLock getFairLock(String key) {
        return getLock(LockRequest.of(key).fair(true));
    }

    /**
     * A read-write lock.
     *
     * @param request what to lock; a single key. Its mode, limit and {@code waitFor} are ignored
     * @return the views; all views of a key are the same lock
     * @throws IllegalArgumentException if the request has several keys
     */
    RemoteReadWriteLock getReadWriteLock(LockRequest request);

    /**
     * A read-write lock; see {@link #getReadWriteLock(LockRequest)}.
     *
     * @param key the lock
     * @return the views; all views of a key are the same lock
     */
    default RemoteReadWriteLock getReadWriteLock(String key) {
        return getReadWriteLock(LockRequest.of(key));
    }

    /**
     * A semaphore: {@code lock} acquires a permit, {@code unlock} releases it. The permits of a dead client become available
     * again when their leases expire. Like every lock it is reentrant: a thread needs a single permit, however often it locks.
     *
     * @param key the semaphore
     * @param permits how many threads, across all clients, may hold it at once; 1 or more, and the same everywhere
     * @return a view; all views of a key are the same semaphore
     * @throws IllegalArgumentException if {@code permits} is less than 1
     */
    default RemoteLock getSemaphore(String key, int permits) {
        return getLock(LockRequest.of(key).shared(permits));
    }

    /**
     * Ensures that every lock that this thread holds, however acquired, lasts for at least the given time: call it before a step
     * that cannot be undone, such as a commit. Detached handles are not included. A lost lock causes an exception until its
     * handle is closed or its view is unlocked.
     *
     * <p>Usually renewal keeps all locks alive well beyond that time, so the store is not called. Each lock that would expire
     * earlier is extended, even if its lease is a fixed limit. This takes one call, or more if the longest lease of the store
     * limits the extension and a reply is slow. With zero, no lock is extended.
     *
     * @param atLeast 0 to 365 days
     * @throws LockLostException if a lock was lost; if several were, for any one of them
     * @throws LockStoreException if a lock had to be extended, and the store rejected the call or did not respond; the lock is
     *     held until its previous deadline
     * @throws IllegalArgumentException if the time is out of range, or longer than the longest lease of the store
     */
    void ensureHeld(Duration atLeast);

    /**
     * Ensures that no later holder of the locks that this thread holds exclusively, however acquired, has used a resource, such as a
     * database. A lock whose token the resource refuses is lost. Shared locks, permits and detached handles are not included.
     *
     * @param accepts called with each lock, in the order of their keys, and its {@linkplain LockHandle#fencingToken() fencing token};
     *     returns false if the resource has seen a greater token of that lock. Exceptions that it throws are passed on
     * @throws LockLostException if it returned false, with {@link LossCause#SUPERSEDED}
     */
    void ensureLatest(BiPredicate<LockKey, Long> accepts);

    /**
     * Reads from the store who holds a lock, where and since when, and how many callers are waiting.
     *
     * @param key the lock
     * @return its state at one point in time
     * @throws LockStoreException if the store rejected the call or did not respond
     */
    LockStatus inspect(String key);

    /**
     * Reads the data of a lock without holding it, see {@link LockRequest#withData}. Changes nothing. A holder may save other data at any
     * time; to read and save without a race, hold the lock.
     *
     * @param key the lock
     * @return its data at one point in time
     * @throws LockStoreException if the store rejected the call or did not respond
     * @throws UnsupportedOperationException if the store keeps no data, as a quorum
     */
    LockData data(String key);

    /**
     * Releases the lock by force, regardless of who holds it. Holders in this client are notified before this method returns,
     * those in other clients by a message. If the message is lost, if the client is not subscribed yet (it subscribes once it
     * has held a lock for a second), or if the store is a quorum, the holder notices at its next renewal or when it releases
     * the lock. Until then two holders may believe that they hold the lock, and only the fencing token protects the data. For
     * operators, not for regular use.
     *
     * @param key the lock
     * @return the former holders: none, one exclusive holder, or all shared ones
     * @throws LockStoreException if the store rejected the call or did not respond, or the connection was lost. The call is not
     *     repeated, because it would end the hold of the next owner: {@linkplain #inspect inspect} the lock first
     */
    List<LockHolder> forceRelease(String key);
}
