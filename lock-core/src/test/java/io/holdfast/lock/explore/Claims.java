package io.holdfast.lock.explore;

import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.waiting.QueueEntry;
import io.holdfast.lock.waiting.StoreTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What a waiter that believes every message makes of one that grants it the lock. */
public final class Claims {

    private Claims() {}

    /** As the message says, counted from the last answer. Called by an acquisition with that defect. */
    public static QueueEntry.@Nullable Grant accepted(QueueEntry entry, long now, long leaseNanos, boolean resent) {
        Object message = ObjectGraph.read(entry, "message");
        StoreTime answer = (StoreTime) ObjectGraph.read(entry, "answer");
        if (message == null || answer == null) {
            return null;
        }
        Reservation reservation = (Reservation) ObjectGraph.read(message, "reservation");
        if (reservation.atMicros() < answer.micros()) {
            return null;
        }
        long nanos = TimeUnit.MICROSECONDS.toNanos(reservation.untilMicros() - answer.micros() - 1);
        return new QueueEntry.Grant(
                entry.owner,
                reservation.token(),
                now,
                answer.askedAt() + nanos,
                reservation.tokens(),
                reservation.waiters(),
                false,
                resent);
    }
}
