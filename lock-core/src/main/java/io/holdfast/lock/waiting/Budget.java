package io.holdfast.lock.waiting;

import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The time a caller is ready to spend on one acquisition: one monotonic budget over everything that it waits for.
 */
public final class Budget {

    private static final long UNLIMITED = -1;

    private final Ticker ticker;
    private final long start;
    private final long nanos;
    private final long outageNanos;

    private Budget(Ticker ticker, long nanos, long outageNanos) {
        this.ticker = ticker;
        this.start = ticker.nanos();
        this.nanos = nanos;
        this.outageNanos = outageNanos;
    }

    /**
     * {@return a budget}
     *
     * @param ticker what it is counted on, from now
     * @param nanos its size in nanoseconds; zero is one try
     */
    public static Budget of(Ticker ticker, long nanos) {
        return new Budget(ticker, Math.max(0, nanos), 0);
    }

    /**
     * {@return the same budget from now on, of which a part may be spent on a failure of the store}
     *
     * @param outage how much for one failure, in nanoseconds
     */
    public Budget tolerating(long outage) {
        return new Budget(ticker, nanos, outage);
    }

    /**
     * {@return a budget that never ends}
     *
     * @param ticker what the waited time is counted on
     */
    public static Budget unlimited(Ticker ticker) {
        return new Budget(ticker, UNLIMITED, 0);
    }

    /** {@return whether it was zero from the beginning} */
    public boolean isOneTry() {
        return nanos == 0;
    }

    /** {@return what is left, in nanoseconds; never negative} */
    public long remainingNanos() {
        return nanos == UNLIMITED ? Long.MAX_VALUE : Math.max(0, nanos - (ticker.nanos() - start));
    }

    /** {@return for how long it has been spent, in nanoseconds; never negative} */
    public long overrunNanos() {
        return nanos == UNLIMITED ? 0 : Math.max(0, ticker.nanos() - start - nanos);
    }

    /**
     * {@return what is left while the store fails, in nanoseconds; never negative}
     *
     * @param failing since when it does; null if it does not
     */
    long remainingNanos(@Nullable Failing failing) {
        long left = remainingNanos();
        return failing == null ? left : Math.max(0, Math.min(left, outageNanos - (ticker.nanos() - failing.since())));
    }

    /** {@return whether a failure of the store may be waited for at all} */
    public boolean toleratesOutages() {
        return outageNanos > 0 && remainingNanos() > 0;
    }

    /** {@return how long the caller has waited} */
    public Duration spent() {
        return Duration.ofNanos(ticker.nanos() - start);
    }
}
