package io.holdfast.lock.engine;

import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.engine.acquire.AcquireResult;
import io.holdfast.lock.engine.acquire.Call;
import io.holdfast.lock.engine.acquire.Caller;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.waiting.Budget;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How a {@link java.util.concurrent.locks.Lock} is acquired, whatever it locks. */
abstract class LockView implements RemoteLock {

    final LockOperations operations;
    private final Ticker ticker;

    LockView(LockOperations operations, Ticker ticker) {
        this.operations = operations;
        this.ticker = ticker;
    }

    /** One call for each key, in the order of the keys. */
    abstract List<Call> calls(Budget budget, Caller caller);

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
        AcquireResult result = acquire(Budget.unlimited(ticker), interruptible);
        if (!isAcquired(result.possible())) {
            throw new AssertionError("A wait without limit ended without the lock");
        }
    }

    @Override
    public boolean tryLock() {
        try {
            return isAcquired(acquire(Budget.of(ticker, 0), false));
        } catch (InterruptedException e) {
            throw new AssertionError("An uninterruptible try was interrupted", e);
        }
    }

    /** A write lock inside a read lock could never be acquired, so {@code tryLock} returns false. */
    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        throwIfInterrupted();
        Budget budget = Budget.of(ticker, unit.toNanos(time));
        return isAcquired(acquire(budget, !budget.isOneTry()));
    }

    private AcquireResult acquire(Budget budget, boolean interruptible) throws InterruptedException {
        return operations.acquire(calls(budget, operations.thread(true, interruptible)));
    }

    private static boolean isAcquired(AcquireResult result) {
        if (result instanceof AcquireResult.Granted acquired) {
            acquired.handle().lockedByView();
            return true;
        }
        return false;
    }

    private static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
