package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.LocalQueue.Place;
import io.holdfast.lock.waiting.QueueEntry;
import io.holdfast.lock.waiting.StoreTime;
import java.util.concurrent.TimeUnit;

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
        return caller.task() && budget.overrunNanos() > LATE_NANOS;
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
    QueueEntry.Grant granted(OwnerId owner, AcquireReply.Granted reply, long sentAt, boolean resent) {
        return new QueueEntry.Grant(
                owner, reply.token(), sentAt, deadline(sentAt), reply.tokens(), reply.waiters(), true, resent);
    }

    /** The lock, granted by a message; the store confirms it only when it is called. */
    QueueEntry.Grant granted(OwnerId owner, StoreTime.Believed claim, long now, boolean resent) {
        Reservation told = claim.reservation();
        return new QueueEntry.Grant(
                owner, told.token(), now, deadline(claim), told.tokens(), told.waiters(), false, resent);
    }

    /** The caller holds the lock that was granted to it, or handed off. */
    Handle open(HeldLocks locks, QueueEntry.Grant grant, HolderInfo holder, Place place) {
        return locks.open(key, terms, grant, holder, place, caller);
    }

    /** The lock was granted, but no handle can be created, for lack of memory or threads. */
    void giveBack(HeldLocks locks, OwnerId owner, Place place) {
        locks.giveBack(key, owner, terms.leaseNanos(), caller, place);
    }

    LockEvent.OfLock event(AcquireResult result, boolean handedOff) {
        return result instanceof AcquireResult.Contended refused
                ? new LockEvent.NotAcquired(key, terms.name(), refused.waited(), refused.holder())
                : new LockEvent.Acquired(
                        key, terms.name(), ((Handle) result).fencingToken(), budget.spent(), handedOff);
    }

    LockEvent.Failed failed(Throwable failure) {
        return new LockEvent.Failed(key, terms.name(), budget.spent(), failure);
    }
}
