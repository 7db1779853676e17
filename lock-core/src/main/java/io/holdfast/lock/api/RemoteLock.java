package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A distributed lock as a {@link Lock}. Reentrant and bound to its thread: only the thread that locked it may unlock it, and if
 * that thread dies, the lock is released. It shares its state with {@link LockTemplate}: a thread that holds the key through the
 * template reenters here, and vice versa.
 *
 * <pre>{@code
 * RemoteLock lock = lockTemplate.getLock("order:42");
 * lock.lock();
 * try { … } finally { lock.unlock(); }
 * }</pre>
 *
 * <p>All methods that acquire the lock throw {@link LockStoreException} if Redis fails, {@link LockLostException} if the
 * thread acquired the lock earlier and has lost it, and {@link IllegalStateException} if the client is closed, or if the
 * request has a {@code minHold} and the thread already holds the lock. A thread that holds the lock in shared mode and
 * requests it exclusively (write inside read), or with a greater weight, would deadlock with itself: {@code lock} and {@code
 * lockInterruptibly} then throw {@link IllegalStateException}, and {@code tryLock} returns false immediately.
 *
 * <p>A lock with several keys is held if all of them are.
 */
public interface RemoteLock extends Lock {

    /** {@return the key; the first one if there are several} */
    LockKey key();

    /** {@return all keys, in the order of acquisition} */
    List<LockKey> keys();

    /**
     * Waits forever. Interrupts do not end the wait; the interrupt flag is restored.
     */
    @Override
    void lock();

    /**
     * Waits forever, until interrupted.
     *
     * @throws InterruptedException if the thread is interrupted before or while it waits; its flag is then cleared
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Tries once, without waiting, ignoring interrupts.
     *
     * @return whether the current thread now holds the lock
     */
    @Override
    boolean tryLock();

    /**
     * {@return whether the current thread now holds the lock}
     *
     * @param time how long to wait; zero or less for a single try
     * @param unit the unit of time
     * @throws InterruptedException if the thread is interrupted before or while it waits; its flag is then cleared
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Releases the most recent {@code lock} of this thread.
     *
     * @throws LockLostException if the lock was lost before it was released
     * @throws IllegalMonitorStateException if this thread did not lock it through a {@code RemoteLock}
     */
    @Override
    void unlock();

    /**
     * Not supported.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    default Condition newCondition() {
        throw new UnsupportedOperationException("Distributed locks do not support conditions");
    }

    /**
     * How many times the current thread holds the key in the mode of this lock, through any view or the template. A lost lock
     * counts until it is unlocked.
     *
     * <p>The write lock of a read-write lock returns 0 if the thread holds only the read lock, like {@link
     * java.util.concurrent.locks.ReentrantReadWriteLock#getWriteHoldCount()}. Unlike with {@code ReentrantReadWriteLock}, both locks return
     * the total number of holds while the thread holds the write lock, which includes the right to read.
     *
     * @return 0 if the thread does not hold it
     */
    int holdCount();

    /**
     * {@return whether the current thread is known to hold the lock now; the holder of the write lock also holds the read lock}
     */
    boolean isHeldByCurrentThread();

    /**
     * Checks with the store whether anybody holds the lock in the mode of this lock: for a write lock, whether there is a writer; for a
     * read lock, whether there is a reader. The result may be out of date by the time it arrives, so use it for monitoring only; to find
     * out whether the lock is free, try to lock it.
     *
     * @return whether any thread of any client holds it
     * @throws LockStoreException if the store rejected the call or did not respond
     */
    boolean isLocked();

    /**
     * {@return how long the current thread is known to hold the lock without further renewal; zero if it does not hold it}
     */
    Duration remaining();

    /**
     * {@return the token of the current thread's hold; see {@link LockHandle#fencingToken()}}
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     * @throws IllegalStateException if the lock has several keys, each with its own token
     */
    long fencingToken();

    /**
     * Releases the lock by force for every holder in the mode of this lock: a write lock for the writer, a read lock for all
     * readers, a semaphore for all holders of permits. {@link LockTemplate#forceRelease(String)} does not distinguish modes.
     *
     * @return whether anybody held it in that mode
     * @throws LockStoreException if the store rejected the call or did not respond
     */
    boolean forceUnlock();
}
