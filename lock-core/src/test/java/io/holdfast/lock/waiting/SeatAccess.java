package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.SeatReply;
import io.holdfast.lock.store.SeatRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link Seat}, for tests that take the place of its keeper. */
public final class SeatAccess {

    private final Seat seat;

    public SeatAccess(LockKey key, OwnerId owner) {
        this.seat = new Seat(key, owner);
    }

    public OwnerId owner() {
        return seat.owner();
    }

    public void rearm() {
        seat.rearm();
    }

    public Place.@Nullable Claim claim() {
        return seat.claim();
    }

    /** The seat itself, to be read. */
    public Object read() {
        return seat;
    }

    public void granted(Reservation reservation, long heardAt) {
        seat.granted(reservation, heardAt);
    }

    /** The store has answered that the lock is not for this seat yet. */
    public void answered(long askedAt, long answeredAt, long storeMicros) {
        seat.answered(new StoreTime(askedAt, answeredAt, storeMicros));
    }

    /** The store has answered a call that kept the seat. */
    public void kept(SeatReply.Kept reply, long askedAt, long answeredAt) {
        SeatRow row = new SeatRow(seat.key(), 0, 0);
        row.add(seat);
        var time = new StoreTime(askedAt, answeredAt, reply.storeMicros());
        row.kept(new SeatRequest(seat.key(), List.of(seat.owner())), reply, time)
                .forEach(Seat::call);
    }
}
