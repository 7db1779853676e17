package io.holdfast.lock.waiting;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A reply of the store, and what it reveals about later messages.
 *
 * <p>A message says when the lock was granted by the store's clock, and until when, but not how old the message is. The store
 * replied no earlier than the call was sent. So a reservation that was made some time after the reply expires at the earliest by
 * the same time after the call was sent, by the local clock. And when a message arrives, no more time has passed at the store
 * since its reply than here since the call was sent.
 *
 * <p>Messages are not trusted: the store's clock may have jumped, and every user who may publish can write anything. An
 * implausible message is ignored, and the waiter asks the store instead. No accepted message leads to a deadline later than {@link LockStore#RESERVATION}
 * after its arrival, or to a token that is ahead of the store's clock by more than {@value #AHEAD_MILLIS} ms.
 *
 * @param askedAt when the call was sent, on the ticker
 * @param answeredAt when the reply arrived, on the ticker
 * @param micros the store's time in the reply, in microseconds
 */
public record StoreTime(long askedAt, long answeredAt, long micros) {

    /** Clocks run at slightly different rates. */
    private static final long TOLERANCE_MICROS = TimeUnit.MILLISECONDS.toMicros(50);

    /** A block of tokens may be ahead of the store's clock by 100 ms, several blocks that were not returned by more. */
    private static final int AHEAD_MILLIS = 1_100;

    private static final long AHEAD_MICROS = TimeUnit.MILLISECONDS.toMicros(AHEAD_MILLIS);
    private static final long LONGEST_MICROS = TimeUnit.NANOSECONDS.toMicros(LockStore.RESERVATION.toNanos());

    /**
     * The later of two replies, by the store's clock. Calls overlap, so their own order says nothing; but if this call was sent
     * after the other reply had arrived, and its time is earlier, the store's clock was set back.
     */
    StoreTime orLater(@Nullable StoreTime other) {
        return other == null || other.micros < micros || askedAt - other.answeredAt >= 0 ? this : other;
    }

    /**
     * Judges a message.
     *
     * @param heardAt when it arrived, on the ticker
     * @return until when the lock is certainly held, on the ticker: for no longer than the lease from the grant on, because the
     *     call that confirms it gives it that lease, however late it arrives, and takes the rest of a longer reservation away.
     *     Null if the message is old, or implausible
     */
    @Nullable
    Long believe(Reservation told, long heardAt, long leaseNanos) {
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
        return deadline - Math.max(0, TimeUnit.MICROSECONDS.toNanos(lastsMicros) - leaseNanos);
    }
}
