package io.holdfast.lock.waiting;

import io.holdfast.lock.store.Ticker;
import java.time.Duration;

/**
 * The time a caller is ready to spend on one acquisition: one monotonic budget over everything that it waits for.
 */
public final class Budget {

    private static final long UNLIMITED = -1;

    private final Ticker ticker;
    private final long start;
    private final long nanos;

    private Budget(Ticker ticker, long nanos) {
        this.ticker = ticker;
        this.start = ticker.nanos();
        this.nanos = nanos;
    }

    /**
     * {@return a budget}
     *
     * @param ticker what it is counted on, from now
     * @param nanos its size in nanoseconds; zero is one try
     */
    public static Budget of(Ticker ticker, long nanos) {
        return new Budget(ticker, Math.max(0, nanos));
    }

    /**
     * {@return a budget that never ends}
     *
     * @param ticker what the waited time is counted on
     */
    public static Budget unlimited(Ticker ticker) {
        return new Budget(ticker, UNLIMITED);
    }

    /** {@return whether it was zero from the beginning} */
    public boolean isOneTry() {
        return nanos == 0;
    }

    /** {@return what is left, in nanoseconds; never negative} */
    public long remainingNanos() {
        return nanos == UNLIMITED ? Long.MAX_VALUE : Math.max(0, nanos - (ticker.nanos() - start));
    }

    /** {@return how long the caller has waited} */
    public Duration spent() {
        return Duration.ofNanos(ticker.nanos() - start);
    }
}
