package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.store.Pause;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Acquires locks: a thread, which waits for them itself, or a task, for which no thread waits.
 *
 * @param holds what it holds, and may reenter
 * @param waiter is run when it may continue; for a thread, a {@link WaitingThread}
 * @param bound whether what it acquires ends when the thread dies
 * @param interruptible whether an interrupt of the thread ends the wait; never true for one try
 */
public record Caller(Map<LockKey, Hold> holds, Runnable waiter, boolean bound, boolean interruptible) {

    public static Caller task(Runnable waiter) {
        return new Caller(new ConcurrentHashMap<>(1), waiter, false, false);
    }

    public static Caller thread(Map<LockKey, Hold> holds, boolean bound, boolean interruptible) {
        return new Caller(holds, new WaitingThread(), bound, interruptible);
    }

    /** Runs an acquisition on the current thread, which is the caller and waits between the steps. */
    public AcquireResult acquire(Steps steps, Pause pause) throws InterruptedException {
        return ((WaitingThread) waiter).acquire(steps, pause, interruptible);
    }

    /** Whether it is a task, for which no thread waits. */
    boolean isTask() {
        return !(waiter instanceof WaitingThread);
    }

    /** Whether an interrupt of the current thread ends the wait; clears its flag in that case. */
    boolean takeInterrupt() {
        return interruptible && Thread.interrupted();
    }

    /** Whether an interrupt of the current thread ends the wait. */
    boolean isInterrupted() {
        return interruptible && Thread.currentThread().isInterrupted();
    }

    /** The driver abandoned its call because the thread was interrupted. */
    static InterruptedException interrupted(LockStoreException failure) {
        var interrupt = new InterruptedException("Interrupted while waiting for Redis");
        interrupt.initCause(failure);
        return interrupt;
    }
}
