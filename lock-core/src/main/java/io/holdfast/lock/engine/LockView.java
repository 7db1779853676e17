package io.holdfast.lock.engine;

import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.waiting.Budget;
import java.util.concurrent.TimeUnit;

/** How a {@link java.util.concurrent.locks.Lock} waits, whatever it locks. */
abstract class LockView implements RemoteLock {

    private final Ticker ticker;

    LockView(Ticker ticker) {
        this.ticker = ticker;
    }

    @Override
    public void lock() {
        try {
            acquireForSure(false);
        } catch (InterruptedException e) {
            throw new AssertionError("An uninterruptible wait was interrupted", e);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        throwIfInterrupted();
        acquireForSure(true);
    }

    private void acquireForSure(boolean interruptible) throws InterruptedException {
        if (!acquire(Budget.unlimited(ticker), interruptible)) {
            throw new AssertionError("A wait without limit ended without the lock");
        }
    }

    @Override
    public boolean tryLock() {
        try {
            return tryAcquire(Budget.of(ticker, 0), false);
        } catch (InterruptedException e) {
            throw new AssertionError("An uninterruptible try was interrupted", e);
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        throwIfInterrupted();
        return tryAcquire(Budget.of(ticker, unit.toNanos(time)), true);
    }

    /** Write inside read could never succeed, however long it waits; a {@code Lock} says so by false. */
    private boolean tryAcquire(Budget budget, boolean interruptible) throws InterruptedException {
        try {
            return acquire(budget, interruptible);
        } catch (LockOperations.WaitsForItself writeInsideRead) {
            return false;
        }
    }

    /** One acquisition; false if the budget is spent. */
    abstract boolean acquire(Budget budget, boolean interruptible) throws InterruptedException;

    private static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
