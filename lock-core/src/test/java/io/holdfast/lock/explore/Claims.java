package io.holdfast.lock.explore;

import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.waiting.StoreTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What a waiter makes of a message that grants it the lock: the real rule, or the one with the defect. */
final class Claims {

    record Claim(long token, long deadline) {}

    private Claims() {}

    static @Nullable Claim of(ModelClient client, Setting setting) {
        if (setting.has(Defect.BELIEVED_MESSAGES)) {
            return believed(client.entry.read());
        }
        StoreTime.Believed claim = client.entry.claim();
        return claim == null ? null : new Claim(claim.reservation().token(), claim.deadline());
    }

    /** As the message says, counted from the last answer. */
    private static @Nullable Claim believed(Object entry) {
        Object message = ObjectGraph.read(entry, "message");
        Object answer = ObjectGraph.read(entry, "answer");
        if (message == null || answer == null) {
            return null;
        }
        Reservation granted = (Reservation) ObjectGraph.read(message, "reservation");
        long storeMicros = (long) ObjectGraph.read(answer, "micros");
        long askedAt = (long) ObjectGraph.read(answer, "askedAt");
        if (granted.atMicros() < storeMicros) {
            return null;
        }
        long nanos = TimeUnit.MICROSECONDS.toNanos(granted.untilMicros() - storeMicros - 1);
        return new Claim(granted.token(), askedAt + nanos);
    }
}
