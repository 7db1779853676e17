package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * A lock that was acquired. Whoever has the handle may use and close it, on any thread. It is closed once; after that
 * it answers {@link #isHeld()} with false, and what needs a held lock throws {@link IllegalStateException}.
 *
 * <p>A handle that turned LOST stays lost.
 *
 * <pre>{@code
 * try (LockHandle lock = lockTemplate.acquire("stock:7")) {
 *     repository.reserve(7, lock.fencingToken());
 * }
 * }</pre>
 */
public interface LockHandle extends AutoCloseable {

    /** {@return what is locked; of several keys the first} */
    LockKey key();

    /** {@return all that is locked by this handle, in the order of acquisition} */
    List<LockKey> keys();

    /**
     * A number that is greater than that of every earlier grant of this key, also after Redis lost its data. Write it
     * next to what the lock guards, and refuse to write where a greater one stands: then even a holder that lost the
     * lock without noticing cannot do harm. See Martin Kleppmann, "How to do distributed locking" (2016).
     *
     * @return the token; the same for all handles of one reentrant hold; also known after the handle was closed or lost
     * @throws IllegalStateException if the handle has several keys: each has its own token
     */
    long fencingToken();

    /**
     * The token of one of the handle's keys, see {@link #fencingToken()}.
     *
     * @param key one of {@link #keys()}
     * @return its token
     * @throws IllegalArgumentException if the handle does not lock that key
     */
    long fencingToken(LockKey key);

    /**
     * Asks this process only, never Redis.
     *
     * @return whether the lock is certainly held now; false once closed, lost, or past its deadline
     */
    boolean isHeld();

    /**
     * Asks this process only, never Redis.
     *
     * @return how long the lock is certainly held even if no renewal succeeds any more; zero if it is not held
     */
    Duration remaining();

    /**
     * Goes on only while the lock is held.
     *
     * @throws LockLostException if it was lost
     * @throws IllegalStateException if this handle was closed
     */
    void ensureHeld();

    /**
     * Makes sure that the lock lasts for at least the given time from now. Never shortens. One call to the store for each
     * key; if one fails, those before it are extended.
     *
     * @param atLeast 100 ms to 365 days
     * @throws LockLostException if the lock was lost
     * @throws LockStoreException if the store refused or did not answer; the lock is still held until its former deadline
     * @throws IllegalStateException if this handle was closed
     * @throws IllegalArgumentException if the time is out of range
     */
    void extend(Duration atLeast);

    /**
     * Runs the action once if this handle is lost: at once, on this thread, if that has happened already; otherwise on
     * a thread kept for listeners. An action that throws is logged.
     *
     * @param action is told of the loss; of several keys, of the first that is lost
     * @throws IllegalStateException if this handle was closed
     */
    void onLost(Consumer<LockEvent.Lost> action);

    /**
     * Takes the handle out of the bookkeeping of the thread that acquired it, so that it can be passed on: the thread's
     * next acquisition of the key is no reentry of this one any more, and the thread may end without releasing it. Calling
     * it twice does nothing.
     *
     * <p>Another thread may call it too, with the same effect on the thread that acquired the handle: a reentry there at
     * the same moment comes before it or after it.
     *
     * @return this handle
     * @throws IllegalStateException if this handle was closed
     */
    LockHandle detach();

    /**
     * Gives the lock back, if this is the last handle of a reentrant hold. Closing twice does nothing. When Redis does
     * not answer, the release is repeated in the background until the lease has ended; that is no error for the caller,
     * whose work was done under the lock.
     *
     * @throws LockLostException if the lock was lost before
     */
    @Override
    void close();
}
