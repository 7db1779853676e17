package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An acquired lock. Any thread that has the handle may use and close it. After it is closed, {@link #isHeld()} returns false, and
 * methods that need a held lock throw {@link IllegalStateException}.
 *
 * <p>A lost handle stays lost.
 *
 * <pre>{@code
 * try (LockHandle lock = lockTemplate.acquire("stock:7")) {
 *     repository.reserve(7, lock.fencingToken());
 * }
 * }</pre>
 */
public interface LockHandle extends AutoCloseable {

    /** {@return the key; the first one if there are several} */
    LockKey key();

    /** {@return all keys of this handle, in the order of acquisition} */
    List<LockKey> keys();

    /**
     * A number that is greater than that of every earlier grant of this key. It contains the time of Redis, so it normally
     * increases even after Redis has lost its data; the page on reliability lists the exceptions. Store it with the data that the
     * lock protects, and refuse to overwrite data that has a greater one: then even a holder that has lost the lock without
     * noticing cannot do any harm. See Martin Kleppmann, "How to do distributed locking" (2016).
     *
     * @return the token; the same for all handles of one reentrant hold, and still available after the handle has been closed
     *     or lost
     * @throws IllegalStateException if the handle has several keys, each with its own token
     */
    long fencingToken();

    /**
     * The token of one of the handle's keys; see {@link #fencingToken()}.
     *
     * @param key one of {@link #keys()}
     * @return its token
     * @throws IllegalArgumentException if the handle does not cover that key
     */
    long fencingToken(LockKey key);

    /**
     * {@return whether the lock is known to be held now; false once it is closed, lost, or past its deadline}
     *
     * <p>Does not call Redis.
     */
    boolean isHeld();

    /**
     * {@return how long the lock is known to be held if no further renewal succeeds; zero if it is not held}
     *
     * <p>Does not call Redis.
     */
    Duration remaining();

    /**
     * Throws an exception unless the lock is held.
     *
     * @throws LockLostException if it was lost
     * @throws IllegalStateException if this handle was closed
     */
    void ensureHeld();

    /**
     * Ensures that the lock lasts for at least the given time from now. Never shortens a lease. Makes one call to the store
     * for each key; if one fails, the keys before it have been extended.
     *
     * @param atLeast 100 ms to 365 days
     * @throws LockLostException if the lock was lost
     * @throws LockStoreException if the store rejected the call or did not respond; the lock is still held until its
     *     previous deadline
     * @throws IllegalStateException if this handle was closed
     * @throws IllegalArgumentException if the time is out of range
     */
    void extend(Duration atLeast);

    /**
     * Reads the data of the lock: what earlier holders have left, or what this hold has saved. Makes one call to the store. After it has
     * returned, no write of an earlier holder arrives any more, not even one that was delayed in the network, as long as Redis does not lose
     * this call in a failover. May be called by any thread.
     *
     * @return the data
     * @throws LockLostException if the lock was lost
     * @throws LockStoreException if the store rejected the call or did not respond
     * @throws IllegalStateException if the lock was acquired without {@link LockRequest#withData}, or this handle was closed
     */
    LockData data();

    /**
     * Replaces the data of the lock, if the store finds that this hold still has the lock: a holder whose lease has ended cannot overwrite
     * what its successor has saved. Makes one call to the store. May be called by any thread; of several at the same time, the one that began
     * last counts.
     *
     * @param bytes the data; at most {@code holdfast.max-data-size}, default 64 KB. Copied
     * @throws LockLostException if the lock was lost; nothing was saved, unless the connection broke and the call was sent twice
     * @throws LockStoreException if the store rejected the call or did not respond. If its {@linkplain
     *     LockStoreException#outcomeUnknown() outcome is unknown}, the data may have been saved, or may still be until this hold saves
     *     again, or a later holder reads or saves
     * @throws IllegalArgumentException if there are too many bytes
     * @throws IllegalStateException if the lock was acquired without {@link LockRequest#withData}, or this handle was closed
     */
    void saveData(byte[] bytes);

    /**
     * Runs the action once if this handle is lost: immediately and on this thread if it is already lost, otherwise on another
     * thread, which does not wait for {@linkplain LockListener listeners}. Actions for one lock run one at a time, and actions
     * for up to eight locks run concurrently, so an action should return quickly. Exceptions thrown by the action are logged.
     *
     * @param action receives the loss; with several keys, that of the first lost key
     * @throws IllegalStateException if this handle was closed
     */
    void onLost(Consumer<LockEvent.Lost> action);

    /**
     * Detaches the handle from the thread that acquired it, so that it can be passed to another thread: further acquisitions of
     * the key by that thread are no longer reentrant, and the thread may end without releasing the lock. Calling it again has no
     * effect.
     *
     * <p>Another thread may call it as well, with the same effect; a concurrent reentrant acquisition takes place either before
     * or after it.
     *
     * @return this handle
     * @throws IllegalStateException if this handle was closed
     */
    LockHandle detach();

    /**
     * Releases the lock if this is the last handle of a reentrant hold. Closing it again has no effect. If Redis does not respond,
     * the release is retried in the background until the lease has expired; the caller sees no error, because its work was done
     * under the lock.
     *
     * @throws LockLostException if the lock was lost before it was released
     */
    @Override
    void close();

    /**
     * Releases the lock as {@link #close} does, on a thread of the lock client: for a thread that must not wait for Redis, such as an
     * event loop. On the current thread if the client is closed.
     *
     * @return completes after the release: exceptionally with a {@link LockLostException} if the lock was lost before. Actions that depend
     *     on it run on one of the few threads that release locks, and must not block
     */
    CompletableFuture<@Nullable Void> closeAsync();
}
