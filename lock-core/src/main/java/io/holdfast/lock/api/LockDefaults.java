package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The default options of a client, which apply unless a {@link LockRequest} sets its own. Immutable: start with {@link
 * #STANDARD}, and change individual options.
 */
public final class LockDefaults {

    /** Lease 30 s, renewed; wait for 5 s; no limit on the hold time; a warning after 60 s; outages are tolerated for 30 s. */
    public static final LockDefaults STANDARD = new LockDefaults(LockRequest.of("any")
            .lease(Duration.ofSeconds(30))
            .waitFor(Duration.ofSeconds(5))
            .renew(true)
            .warnAfter(Duration.ofSeconds(60))
            .outageTolerance(Duration.ofSeconds(30)));

    /** A request for any lock, with these options. */
    private final LockRequest options;

    private LockDefaults(LockRequest options) {
        this.options = options;
    }

    /** {@return how long a lock survives without renewal} */
    public Duration lease() {
        return options.lease().orElseThrow();
    }

    /** {@return how long {@code execute} and {@code acquire} wait for a lock; the {@code try…} methods do not wait} */
    public Duration waitFor() {
        return options.waitFor().orElseThrow();
    }

    /** {@return whether leases are renewed} */
    public boolean renew() {
        return options.renew().orElseThrow();
    }

    /** {@return the time after which renewal ends, counted from the grant; empty for no limit} */
    public Optional<Duration> maxHold() {
        return options.maxHold();
    }

    /** {@return how long a lock may be held before a warning is logged, once} */
    public Duration warnAfter() {
        return options.warnAfter().orElseThrow();
    }

    /** {@return how long a queued caller waits for Redis to recover from a failure, within {@code waitFor}} */
    public Duration outageTolerance() {
        return options.outageTolerance().orElseThrow();
    }

    /**
     * {@return a copy with the given lease}
     *
     * @param value 100 ms to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withLease(Duration value) {
        return new LockDefaults(options.lease(value));
    }

    /**
     * {@return a copy that waits for the given time}
     *
     * @param value 0 (a single try) to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withWaitFor(Duration value) {
        return new LockDefaults(options.waitFor(value));
    }

    /**
     * {@return a copy with renewal of leases on or off}
     *
     * @param value whether leases are renewed
     */
    public LockDefaults withRenew(boolean value) {
        return new LockDefaults(options.renew(value));
    }

    /**
     * {@return a copy with the given limit on the hold time}
     *
     * @param value the time after which renewal ends, counted from the grant; 100 ms to 365 days, or null for no limit
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withMaxHold(@Nullable Duration value) {
        return new LockDefaults(
                value == null ? options.with(LockRequest.Option.MAX_HOLD, null) : options.maxHold(value));
    }

    /**
     * {@return a copy that warns after the given time}
     *
     * @param value 1 ms to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withWarnAfter(Duration value) {
        return new LockDefaults(options.warnAfter(value));
    }

    /**
     * {@return a copy that tolerates outages for the given time}
     *
     * @param value 0 (fail immediately) to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withOutageTolerance(Duration value) {
        return new LockDefaults(options.outageTolerance(value));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockDefaults defaults && options.equals(defaults.options);
    }

    @Override
    public int hashCode() {
        return options.hashCode();
    }

    @Override
    public String toString() {
        return "LockDefaults" + options.options;
    }
}
