package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A distributed lock as a {@link Lock}. Reentrant, and bound to its thread: only the thread that locked may unlock, and
 * if that thread dies, the lock is released. It shares its bookkeeping with {@link LockTemplate}: a thread that holds
 * the key through the template reenters here, and the other way round.
 *
 * <pre>{@code
 * RemoteLock lock = lockTemplate.getLock("order:42");
 * lock.lock();
 * try { … } finally { lock.unlock(); }
 * }</pre>
 *
 * <p>All methods that acquire throw {@link LockStoreException} when Redis does not answer or refuses,
 * {@link LockLostException} when the thread holds the lock already but has lost it, and {@link IllegalStateException} when
 * the client is closed, and when the lock was requested with a {@code minHold} and the thread holds it already. If it is to be
 * held alone and the thread holds it shared (write inside read), or with a lower weight, it would wait for itself:
 * {@code lock} and {@code lockInterruptibly} throw {@link IllegalStateException}, and {@code tryLock} returns false, at once in
 * either form.
 *
 * <p>A lock of several keys is held when all of them are; what is said of one key here holds for all of them together.
 */
public interface RemoteLock extends Lock {

    /** {@return what is locked; of several keys the first} */
    LockKey key();

    /** {@return all that is locked, in the order of acquisition} */
    default List<LockKey> keys() {
        return List.of(key());
    }

    /**
     * Waits without limit. An interrupt does not end the wait; it is kept.
     */
    @Override
    void lock();

    /**
     * Waits without limit, until interrupted.
     *
     * @throws InterruptedException if the thread is interrupted before or while it waits; its flag is then cleared
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * One try, without waiting; an interrupt does not matter.
     *
     * @return whether the lock is held now
     */
    @Override
    boolean tryLock();

    /**
     * {@return whether the lock is held now}
     *
     * @param time how long to wait; zero or less is one try
     * @param unit the unit of time
     * @throws InterruptedException if the thread is interrupted before or while it waits; its flag is then cleared
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Undoes the last {@code lock} of this thread.
     *
     * @throws LockLostException if the lock was lost before
     * @throws IllegalMonitorStateException if this thread did not lock it through a {@code RemoteLock}
     */
    @Override
    void unlock();

    /**
     * Not supported: a condition would need all waiters in one JVM.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    default Condition newCondition() {
        throw new UnsupportedOperationException("Distributed locks do not support conditions");
    }

    /**
     * How many times the current thread holds the key in the mode of this lock, through any view or the template. A lock
     * that was lost counts until it is unlocked.
     *
     * <p>The write half of a read-write lock has 0 if the thread holds the read lock only, like
     * {@link java.util.concurrent.locks.ReentrantReadWriteLock#getWriteHoldCount()}. Unlike there, holds are not counted
     * by half while the thread has the write lock: it may read with it, so each half has the number of all.
     *
     * @return 0 if not at all
     */
    int holdCount();

    /** {@return whether the current thread certainly holds the lock now; the read half is held by who has the write half} */
    boolean isHeldByCurrentThread();

    /**
     * Asks the store whether anybody holds the lock, in the mode of this lock: the write half whether somebody writes, the read
     * half whether anybody reads. By the time the answer is here it may be otherwise, so this is for monitoring; to find out
     * whether it can be had, try to lock it.
     *
     * @return whether it is held, by whichever thread of whichever client
     * @throws LockStoreException if the store refused or did not answer
     */
    boolean isLocked();

    /** {@return how long the current thread certainly holds it without renewal; zero if it does not} */
    Duration remaining();

    /**
     * {@return the token of the current thread's hold, see {@link LockHandle#fencingToken()}}
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     * @throws IllegalStateException if the lock has several keys: each has its own token
     */
    long fencingToken();

    /**
     * Takes the lock away from whoever holds it in the mode of this lock: the write half from the writer, the read half from all
     * readers, a semaphore from all who have a permit. See {@link LockTemplate#forceRelease(String)}, which does not
     * distinguish.
     *
     * @return whether anybody held it in that mode
     * @throws LockStoreException if the store refused or did not answer
     */
    boolean forceUnlock();
}
