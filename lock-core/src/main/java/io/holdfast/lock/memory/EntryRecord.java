package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockWaiter;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;

/** A place in the queue. It is kept while the lock is reserved for it, for it may need it again. */
final class EntryRecord {

    private final AcquireRequest request;
    private long aliveUntil;
    private boolean reserved;

    EntryRecord(AcquireRequest request, long now) {
        this.request = request;
        keep(now);
    }

    OwnerId owner() {
        return request.owner();
    }

    /** Whether the lock is reserved for it, so that it is not in the queue. */
    boolean isReserved() {
        return reserved;
    }

    void reserved(boolean now) {
        reserved = now;
    }

    boolean isFair() {
        return request.fair();
    }

    void keep(long now) {
        aliveUntil = now + LockStore.ENTRY_TIMEOUT.toNanos();
    }

    boolean isAlive(long now) {
        return !Times.isOver(aliveUntil, now);
    }

    /** Whether it was kept by a clock that has gone back since. */
    boolean isImplausible(long now) {
        return isImplausible(aliveUntil, now);
    }

    /** Whether no entry and no reservation can last until then. */
    static boolean isImplausible(long end, long now) {
        return !Times.isOver(end, now + LockStore.ENTRY_TIMEOUT.toNanos());
    }

    /** What its first call asked for. */
    AcquireRequest request() {
        return request;
    }

    /**
     * When a reservation ends that begins now: a waiter that died holds up others for one entry time-out from when it was last
     * heard of, any number of them together. So an entry whose reservation lapsed is dead, unless it was heard of since.
     */
    long reservationEnd() {
        return aliveUntil;
    }

    LockWaiter describe() {
        HolderInfo here = request.holder();
        return new LockWaiter(
                owner().clientId(),
                here.host(),
                here.pid(),
                here.thread(),
                request.isExclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED,
                isFair(),
                reserved);
    }
}
