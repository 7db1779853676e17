package io.holdfast.lock.waiting;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An answer of the store, and what follows from it for messages.
 *
 * <p>A message says that the lock was granted at some time on the store's clock, and until when, but not how old it is. The
 * store answered the question no earlier than it was asked. So a reservation that was made after the answer ends no earlier
 * than as much later on the clock here, counted from when the question was sent. And when a message is heard, no more time has
 * passed at the store since its answer than here since the question.
 *
 * <p>Messages are hearsay: the store's clock may have jumped, and who may publish can write anything. What cannot be true is
 * not believed, and the waiter asks instead. Nothing that is believed makes a deadline later than {@link LockStore#RESERVATION}
 * after it was heard, or a token higher than the store's clock by more than {@value #AHEAD_MILLIS} ms.
 *
 * @param askedAt when the store was asked, on the ticker
 * @param answeredAt when the answer was here
 * @param micros the store's clock when it answered
 */
record StoreTime(long askedAt, long answeredAt, long micros) {

    /** A message that is believed, and until when the lock is certainly held by it, on the ticker. */
    record Believed(Reservation reservation, long deadline) {}

    /** Clocks do not run at quite the same rate. */
    private static final long TOLERANCE_MICROS = TimeUnit.MILLISECONDS.toMicros(50);

    /** A block of tokens may be ahead of the store's clock by 100 ms, and several that were not given back by more. */
    private static final int AHEAD_MILLIS = 1_100;

    private static final long AHEAD_MICROS = TimeUnit.MILLISECONDS.toMicros(AHEAD_MILLIS);
    private static final long LONGEST_MICROS = TimeUnit.NANOSECONDS.toMicros(LockStore.RESERVATION.toNanos());

    /**
     * The later of two answers: what one of them did not know of was over when the other was given. Questions overlap, so
     * their order says nothing; but if this one was asked when the other was answered already, the store's clock went back.
     */
    StoreTime orLater(@Nullable StoreTime other) {
        return other == null || other.micros < micros || askedAt - other.answeredAt >= 0 ? this : other;
    }

    /**
     * What a message is worth.
     *
     * @param heardAt when it was here
     * @return the grant and its deadline; or null if it is old, or cannot be true
     */
    @Nullable
    Believed believe(Reservation told, long heardAt) {
        long latest = micros + Math.max(0, TimeUnit.NANOSECONDS.toMicros(heardAt - askedAt)) + TOLERANCE_MICROS;
        long lastsMicros = told.untilMicros() - told.atMicros();
        boolean news = told.atMicros() >= micros && told.atMicros() <= latest;
        boolean brief = lastsMicros > 0 && lastsMicros <= LONGEST_MICROS;
        boolean dated = told.token() >= told.atMicros() && told.token() - latest <= AHEAD_MICROS;
        boolean block = told.tokens() > 0 && told.tokens() <= AHEAD_MICROS;
        if (!news || !brief || !dated || !block) {
            return null;
        }
        long sinceAsked = TimeUnit.MICROSECONDS.toNanos(told.untilMicros() - micros - 1);
        long sinceHeard = TimeUnit.MICROSECONDS.toNanos(lastsMicros - 1);
        long deadline = Math.min(sinceAsked, heardAt - askedAt + sinceHeard) + askedAt;
        return new Believed(told, deadline);
    }
}
