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
    public static QueueEntry.@Nullable Grant believed(QueueEntry entry, long now, long leaseNanos, boolean resent) {
        Object message = ObjectGraph.read(entry, "message");
        StoreTime answer = (StoreTime) ObjectGraph.read(entry, "answer");
        if (message == null || answer == null) {
            return null;
        }
        Reservation told = (Reservation) ObjectGraph.read(message, "reservation");
        if (told.atMicros() < answer.micros()) {
            return null;
        }
        long nanos = TimeUnit.MICROSECONDS.toNanos(told.untilMicros() - answer.micros() - 1);
        return new QueueEntry.Grant(
                entry.owner, told.token(), now, answer.askedAt() + nanos, told.tokens(), told.waiters(), false, resent);
    }
}
