package io.holdfast.lock.memory;

import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;

/** A place in the queue. It is kept while the lock is reserved for it, for it may need it again. */
final class Seat {

    private final AcquireRequest request;
    private final long ticket;
    private long aliveUntil;

    Seat(AcquireRequest request, long ticket, long now) {
        this.request = request;
        this.ticket = ticket;
        keep(now);
    }

    OwnerId owner() {
        return request.owner();
    }

    long ticket() {
        return ticket;
    }

    int limit() {
        return request.limit();
    }

    boolean isFair() {
        return request.fair();
    }

    void keep(long now) {
        aliveUntil = now + LockStore.SEAT_TIMEOUT.toNanos();
    }

    boolean isAlive(long now) {
        return !Times.isOver(aliveUntil, now);
    }

    /** What its first call asked for. */
    AcquireRequest request() {
        return request;
    }

    /** When a reservation that begins now ends. Whoever is not heard of any more is not waited for either. */
    long reservationEnd(long now) {
        return Times.earlier(now + LockStore.RESERVATION.toNanos(), aliveUntil);
    }
}
