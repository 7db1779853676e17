package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Entry point for distributed locks. Thread-safe; an application needs only one instance.
 *
 * <pre>{@code
 * lockTemplate.execute("order:" + id, () -> charge(id));
 * }</pre>
 *
 * <p>Locks are reentrant per thread, across all methods: only the last release of a thread frees the lock. A thread that holds a
 * key acquires it again without a call to Redis, unless the lease has to be extended, which takes one call: if the request asks for
 * a longer lease than the lock is renewed for, or if the lock is not renewed, and ends before the lease that is asked for.
 *
 * <p>Leases, including explicit ones, are renewed while the lock is held, unless the request has {@code renew(false)}.
 *
 * <p>All methods that acquire a lock may throw {@link LockStoreException} (Redis failed), {@link LockInterruptedException} (the
 * thread was interrupted while waiting; its flag is set), {@link LockLostException} (this thread held the key and has lost it)
 * and {@link IllegalStateException} (the client is closed; the request has a {@code minHold} and this thread already holds the
 * key; or the request is {@code EXCLUSIVE} and this thread holds the key {@code SHARED}, so that it would deadlock with itself).
 * The {@code try…} methods throw these exceptions as well, because trying again would not help. Methods that take a key as
 * text throw {@link LockKeyException} if it is invalid; see {@link LockKey}.
 */
public interface LockTemplate extends LockedExecution {

    /**
     * Acquires the lock.
     *
     * @param request what to lock; waits for 5 s by default
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
     * earlier is extended, even if its lease is a fixed limit: with one call, or with further ones if a slow reply leaves too
     * little of the longest lease of the store. With zero, no lock is extended.
     *
     * @param atLeast 0 to 365 days
     * @throws LockLostException if a lock was lost; if several were, for any one of them
     * @throws LockStoreException if a lock had to be extended, and the store rejected the call or did not respond; the lock is
     *     held until its previous deadline
     * @throws IllegalArgumentException if the time is out of range, or longer than the longest lease of the store
     */
    void ensureHeld(Duration atLeast);

    /**
     * Asks the store who holds a lock, where and since when, and how many callers are waiting.
     *
     * @param key the lock
     * @return its state at one point in time
     * @throws LockStoreException if the store rejected the call or did not respond
     */
    LockSnapshot inspect(String key);

    /**
     * Releases the lock by force, regardless of who holds it. Holders in this client are notified before this method returns,
     * those in other clients by a message. If the message is lost, if the client is not subscribed yet (it subscribes once it
     * has held a lock for a second), or if the store is a quorum, the holder notices at its next renewal or when it releases
     * the lock. Until then two holders may believe that they hold the lock, and only the fencing token protects the data. For
     * operators, not for regular use.
     *
     * @param key the lock
     * @return the former holders: none, one exclusive holder, or all shared ones
     * @throws LockStoreException if the store rejected the call or did not respond
     */
    List<LockHolder> forceRelease(String key);
}
