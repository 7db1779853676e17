package io.holdfast.lock.migration;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** The old lock and the new one together, in this order everywhere. */
public final class BothLocks implements Lock {

    private final Lock former;
    private final Lock holdfast;

    public BothLocks(Lock former, Lock holdfast) {
        this.former = former;
        this.holdfast = holdfast;
    }

    @Override
    public void lock() {
        former.lock();
        try {
            holdfast.lock();
        } catch (RuntimeException e) {
            former.unlock();
            throw e;
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        former.lockInterruptibly();
        try {
            holdfast.lockInterruptibly();
        } catch (InterruptedException | RuntimeException e) {
            former.unlock();
            throw e;
        }
    }

    @Override
    public boolean tryLock() {
        return former.tryLock() && orGiveBack(holdfast::tryLock);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long end = System.nanoTime() + unit.toNanos(time);
        return former.tryLock(time, unit)
                && orGiveBack(() -> holdfast.tryLock(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS));
    }

    private <E extends Exception> boolean orGiveBack(Try<E> second) throws E {
        boolean both = false;
        try {
            both = second.lock();
        } finally {
            if (!both) {
                former.unlock();
            }
        }
        return both;
    }

    private interface Try<E extends Exception> {
        boolean lock() throws E;
    }

    @Override
    public void unlock() {
        try {
            holdfast.unlock();
        } finally {
            former.unlock();
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException();
    }
}
