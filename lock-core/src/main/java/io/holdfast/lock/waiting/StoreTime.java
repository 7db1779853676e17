package io.holdfast.lock.waiting;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time of a reply from the store, and what it reveals about later messages.
 *
 * <p>A message states when, by the store's clock, the lock was granted, and until when, but not how old the message itself is. The store
 * replied no earlier than the call was sent. So a reservation that ends some time after the reply, by the store's clock, ends no earlier
 * than the same time after the call was sent, by the local clock. And when a message arrives, no more time has passed at the store since
 * its reply than has passed here since the call was sent.
 *
 * <p>Messages are not trusted: the store's clock may have jumped, and any user who may publish can send anything. An implausible message
 * is ignored, and the waiter calls the store instead. No accepted message leads to a deadline later than {@link LockStore#RESERVATION}
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
    private static final long MAX_MICROS = TimeUnit.NANOSECONDS.toMicros(LockStore.RESERVATION.toNanos());

    /**
     * The later of two replies, by the store's clock. Calls overlap, so their order alone proves nothing; but if this call was
     * sent after the other reply had arrived, and the time in its reply is earlier, the store's clock was set back.
     */
    StoreTime orLater(@Nullable StoreTime other) {
        return other == null || other.micros < micros || askedAt - other.answeredAt >= 0 ? this : other;
    }

    /**
     * Judges a message.
     *
     * @param receivedAt when it arrived, on the ticker
     * @return the time until which the lock is certainly held, on the ticker: for no longer than the lease, counted from
     *     the grant, because the call that confirms the grant, however late it arrives, sets that lease, and takes away
     *     the rest of a longer reservation. Null if the message is old or implausible
     */
    @Nullable
    Long verify(Reservation reservation, long receivedAt, long leaseNanos) {
        long latest = micros + Math.max(0, TimeUnit.NANOSECONDS.toMicros(receivedAt - askedAt)) + TOLERANCE_MICROS;
        long lastsMicros = reservation.untilMicros() - reservation.atMicros();
        boolean news = reservation.atMicros() >= micros && reservation.atMicros() <= latest;
        boolean brief = lastsMicros > 0 && lastsMicros <= MAX_MICROS;
        boolean dated = reservation.token() >= reservation.atMicros() && reservation.token() - latest <= AHEAD_MICROS;
        boolean block = reservation.tokens() > 0 && reservation.tokens() <= AHEAD_MICROS;
        if (!news || !brief || !dated || !block) {
            return null;
        }
        long sinceAsked = TimeUnit.MICROSECONDS.toNanos(reservation.untilMicros() - micros - 1);
        long sinceReceived = TimeUnit.MICROSECONDS.toNanos(lastsMicros - 1);
        long deadline = Math.min(sinceAsked, receivedAt - askedAt + sinceReceived) + askedAt;
        return deadline - Math.max(0, TimeUnit.MICROSECONDS.toNanos(lastsMicros) - leaseNanos);
    }
}
