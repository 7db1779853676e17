package io.holdfast.lock.api;

import java.time.Duration;
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
 * <p>All methods that acquire throw {@link LockStoreException} when Redis cannot be reached, and
 * {@link LockLostException} when the thread holds the lock already but has lost it.
 */
public interface RemoteLock extends Lock {

    /** {@return what is locked} */
    LockKey key();

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
        throw new UnsupportedOperationException("A distributed lock has no conditions");
    }

    /** {@return how many times the current thread holds the key, through this view or the template; 0 if not} */
    int holdCount();

    /** {@return whether the current thread certainly holds the lock now} */
    boolean isHeldByCurrentThread();

    /** {@return how long the current thread certainly holds it without renewal; zero if it does not} */
    Duration remaining();

    /**
     * {@return the token of the current thread's hold, see {@link LockHandle#fencingToken()}}
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    long fencingToken();

    /**
     * Takes the lock away from whoever holds it, see {@link LockTemplate#forceRelease(String)}.
     *
     * @return whether anybody held it
     */
    boolean forceUnlock();
}
