package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Pause;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.LocalQueue.Place;
import io.holdfast.lock.waiting.StoreTime;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One caller's request for one lock.
 *
 * @param key what to lock
 * @param terms how
 * @param budget how long to wait; the terms say which part of it may be spent on an outage of the store
 * @param caller who
 */
public record Call(LockKey key, Terms terms, Budget budget, Caller caller) {

    /** The time beyond its budget within which a thread of the client becomes free, if the store replies to calls. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    public Call {
        budget = budget.tolerating(terms.outageNanos());
    }

    /**
     * Whether no thread was free to call the store until long after its budget was spent. That happens if the store does not
     * reply: one more call would get no reply either, and all calls behind it would wait for it too.
     */
    boolean isLate() {
        return caller.isTask() && budget.overrunNanos() > LATE_NANOS;
    }

    /**
     * The request to the store.
     *
     * @param owner the acquisition
     * @param holder as whom
     * @param waiting whether an entry in the queue is wanted, or kept, if the lock is not free
     * @param tokens how many fencing tokens to reserve
     */
    AcquireRequest request(OwnerId owner, HolderInfo holder, boolean waiting, long tokens) {
        return new AcquireRequest(
                key,
                owner,
                terms.leaseMillis(),
                holder,
                terms.limit(),
                terms.weight(),
                terms.fair(),
                waiting,
                tokens,
                0,
                false);
    }

    /**
     * Until when the lock is certainly held, if the store grants it.
     *
     * @param sentAt when the store was called, on the ticker, before the send
     */
    long deadline(long sentAt) {
        return sentAt + terms.leaseNanos();
    }

    /**
     * Until when the lock is certainly held that a message has granted: for no longer than the lease from the grant on, because
     * the call that confirms it gives it that lease, however late it arrives, and takes the rest of a longer reservation away.
     */
    long deadline(StoreTime.Believed claim) {
        Reservation told = claim.reservation();
        long lasts = TimeUnit.MICROSECONDS.toNanos(told.untilMicros() - told.atMicros());
        return claim.deadline() - Math.max(0, lasts - terms.leaseNanos());
    }

    /** The lock, granted by a reply, so it is confirmed. */
    Hold.Grant granted(OwnerId owner, AcquireReply.Granted reply, long sentAt, boolean resent) {
        return new Hold.Grant(
                owner, reply.token(), sentAt, deadline(sentAt), reply.tokens(), reply.waiters(), true, resent);
    }

    /** The lock, granted by a message; the store confirms it only when it is called. */
    Hold.Grant granted(OwnerId owner, StoreTime.Believed claim, long now, boolean resent) {
        Reservation told = claim.reservation();
        return new Hold.Grant(owner, told.token(), now, deadline(claim), told.tokens(), told.waiters(), false, resent);
    }

    /** The caller holds the lock that was granted to it, or handed off. */
    Handle open(HeldLocks locks, Hold.Grant grant, HolderInfo holder, Place place) {
        if (grant.tokens() > 0) {
            place.granted(grant.owner(), grant.token(), grant.tokens(), grant.waiters(), grant.confirmed());
        }
        Hold hold = locks.hold(key, terms, grant, holder, place);
        Handle handle = handle(locks, hold);
        locks.add(hold, caller.holds());
        return handle;
    }

    /** The lock was granted, but no handle can be created, for lack of memory or threads. */
    void giveBack(HeldLocks locks, OwnerId owner, Place place) {
        locks.giveBack(key, owner, terms.leaseNanos(), caller.holds(), place);
    }

    /** Another handle of that hold, for the caller. */
    Handle handle(HeldLocks locks, Hold hold) {
        var handle = new Handle(locks, hold, terms, caller.holds(), caller.bound());
        if (!caller.isTask()) {
            handle.interruptOnLoss();
        }
        return handle;
    }

    LockEvent.OfLock event(AcquireResult result, boolean handedOff) {
        if (result instanceof AcquireResult.Acquired granted) {
            return new LockEvent.Acquired(
                    key, terms.name(), granted.handle().fencingToken(), budget.spent(), handedOff);
        }
        var refused = (AcquireResult.Contended) result;
        return new LockEvent.NotAcquired(key, terms.name(), refused.waited(), refused.holder());
    }

    LockEvent.Failed failed(Throwable failure) {
        return new LockEvent.Failed(key, terms.name(), budget.spent(), failure);
    }

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

    /**
     * The current thread, which runs the {@link Steps} of an acquisition and parks between them.
     *
     * <p><b>No wake-up is lost.</b> The permit of {@link LockSupport} alone is not sufficient: listeners run between an unsuccessful
     * check and the pause, and a listener that blocks consumes the permit. So a wake-up is recorded here. The mark is cleared before
     * each step and read after it. A wake-up before the read makes the thread step again instead of pausing; one after the read
     * leaves its permit to the pause, because nothing else runs in between.
     */
    private static final class WaitingThread implements Runnable {

        private final Thread thread = Thread.currentThread();
        private volatile boolean woken;

        /** Wakes it. */
        @Override
        public void run() {
            woken = true;
            LockSupport.unpark(thread);
        }

        /**
         * Acquires on this thread. Must be called by this thread itself.
         *
         * @param steps the acquisition
         * @param pause how time passes
         * @param interruptible whether an interrupt ends the wait; if not, or if it comes too late, it is kept
         */
        AcquireResult acquire(Steps steps, Pause pause, boolean interruptible) throws InterruptedException {
            boolean interrupted = false;
            try {
                while (true) {
                    woken = false;
                    long left = steps.proceed();
                    if (left == 0) {
                        return steps.result();
                    }
                    if (!woken) {
                        interrupted |= pause(steps, pause, left, interruptible);
                    }
                }
            } finally {
                if (interrupted) {
                    thread.interrupt();
                }
            }
        }

        private boolean pause(Steps steps, Pause pause, long nanos, boolean interruptible) throws InterruptedException {
            try {
                return pause.pause(nanos, interruptible);
            } catch (InterruptedException e) {
                steps.interrupt(e);
                thread.interrupt();
                return false;
            } catch (RuntimeException | Error e) {
                steps.abandon(e);
                throw e;
            }
        }
    }
}
