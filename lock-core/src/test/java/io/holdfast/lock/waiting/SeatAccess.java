package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.SeatReply;
import io.holdfast.lock.store.SeatRequest;
import java.util.List;

/** What only this package may do with a {@link Seat}, for tests that take the place of its keeper. */
public final class SeatAccess {

    private SeatAccess() {}

    public static Seat open(LockKey key, OwnerId owner) {
        return new Seat(key, owner);
    }

    public static void granted(Seat seat, Reservation reservation, long heardAt) {
        seat.granted(reservation, heardAt);
    }

    /** The store has answered that the lock is not for this seat yet. */
    public static void answered(Seat seat, long askedAt, long answeredAt, long storeMicros) {
        seat.answered(new StoreTime(askedAt, answeredAt, storeMicros));
    }

    /** The store has answered a call that kept the seat. */
    public static void kept(Seat seat, SeatReply.Kept reply, long askedAt, long answeredAt) {
        SeatRow row = new SeatRow(seat.key(), 0, 0);
        row.add(seat);
        var time = new StoreTime(askedAt, answeredAt, reply.storeMicros());
        row.kept(new SeatRequest(seat.key(), List.of(seat.owner())), reply, time)
                .forEach(Seat::call);
    }
}
