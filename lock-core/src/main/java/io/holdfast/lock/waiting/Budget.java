package io.holdfast.lock.waiting;

import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The maximum time that a caller spends on one acquisition: one monotonic budget for everything that it waits for.
 *
 * @param ticker the clock
 * @param start when it began, on the ticker
 * @param nanos its size in nanoseconds; zero for a single attempt, {@link Long#MAX_VALUE} for no limit
 * @param outageNanos how much of it may be spent on one outage of the store, in nanoseconds
 */
public record Budget(Ticker ticker, long start, long nanos, long outageNanos) {

    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * {@return a budget}
     *
     * @param ticker the clock; it starts now
     * @param nanos its size in nanoseconds; zero for a single attempt, {@link Long#MAX_VALUE} for no limit
     */
    public static Budget of(Ticker ticker, long nanos) {
        return new Budget(ticker, ticker.nanos(), Math.max(0, nanos), 0);
    }

    /**
     * {@return the same budget, a part of which may be spent on an outage of the store}
     *
     * @param outage the maximum for one outage, in nanoseconds
     */
    public Budget tolerating(long outage) {
        return new Budget(ticker, start, nanos, outage);
    }

    /** {@return whether it is for a single attempt} */
    public boolean isOneTry() {
        return nanos == 0;
    }

    /** {@return what is left, in nanoseconds; never negative} */
    public long remainingNanos() {
        return Math.max(0, nanos - (ticker.nanos() - start));
    }

    /**
     * {@return whether it was spent so long ago that a thread of the client would be free by now if the store replied to calls}
     */
    public boolean isLongOver() {
        return ticker.nanos() - start - nanos > LATE_NANOS;
    }

    /**
     * {@return what is left while the store is failing, in nanoseconds; never negative}
     *
     * @param failing the failure of the store; null if it is not failing
     */
    public long remainingNanos(@Nullable Failing failing) {
        long left = remainingNanos();
        return failing == null ? left : Math.max(0, Math.min(left, outageNanos - (ticker.nanos() - failing.since())));
    }

    /** {@return whether the caller may wait for the store to recover} */
    public boolean toleratesOutages() {
        return outageNanos > 0 && remainingNanos() > 0;
    }

    /** {@return how long the caller has waited} */
    public Duration spent() {
        return Duration.ofNanos(ticker.nanos() - start);
    }
}
