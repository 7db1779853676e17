package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.SeatReply;
import io.holdfast.lock.store.SeatRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The seats of this client in one lock's queue, and when they are to be kept next. Guarded by the {@link SeatKeeper}. */
final class SeatRow implements Comparable<SeatRow> {

    private final LockKey key;
    private final long number;
    private final Map<OwnerId, Seat> seats = new LinkedHashMap<>();
    /** How often in a row the store has failed to answer for it. Guarded by the keeper's monitor. */
    int failures;

    private long pollAt;

    SeatRow(LockKey key, long number, long pollAt) {
        this.key = key;
        this.number = number;
        this.pollAt = pollAt;
    }

    LockKey key() {
        return key;
    }

    long pollAt() {
        return pollAt;
    }

    void pollAt(long nanos) {
        pollAt = nanos;
    }

    void add(Seat seat) {
        seats.put(seat.owner(), seat);
    }

    void remove(Seat seat) {
        seats.remove(seat.owner());
    }

    boolean isEmpty() {
        return seats.isEmpty();
    }

    /** The store was asked for some of them; returns those that are called. The others were not granted the lock yet. */
    List<Seat> kept(SeatRequest request, SeatReply.Kept reply, StoreTime time) {
        List<Seat> called = new ArrayList<>();
        Set<OwnerId> owners = Set.copyOf(reply.called());
        for (OwnerId owner : request.owners()) {
            Seat seat = seats.get(owner);
            if (seat != null && owners.contains(owner)) {
                called.add(seat);
            } else if (seat != null) {
                seat.answered(time);
            }
        }
        return called;
    }

    SeatRequest request() {
        return new SeatRequest(key, List.copyOf(seats.keySet()));
    }

    List<Seat> seats() {
        return new ArrayList<>(seats.values());
    }

    /** By time, by difference since the ticker may wrap. */
    @Override
    public int compareTo(SeatRow other) {
        long byTime = pollAt - other.pollAt;
        return byTime != 0 ? Long.signum(byTime) : Long.compare(number, other.number);
    }
}
