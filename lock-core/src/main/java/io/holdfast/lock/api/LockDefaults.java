package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The options of a client that apply where a {@link LockRequest} sets none. Immutable: start with {@link #STANDARD}, and change
 * what differs.
 */
public final class LockDefaults {

    /**
     * Lease 30 s, renewed; wait for 5 s; no limit on the hold; a warning after 60 s; outages are tolerated for 30 s; releases are
     * acknowledged.
     */
    public static final LockDefaults STANDARD = new LockDefaults(new Values());

    private final Values values;

    /** Modified only before the instance that owns it is published. */
    private static final class Values {

        private Duration lease = Duration.ofSeconds(30);
        private Duration waitFor = Duration.ofSeconds(5);
        private boolean renew = true;
        private @Nullable Duration maxHold;
        private Duration warnAfter = Duration.ofSeconds(60);
        private Duration outageTolerance = Duration.ofSeconds(30);
        private ReleaseMode release = ReleaseMode.ACKNOWLEDGED;

        private Values copy() {
            Values copy = new Values();
            copy.lease = lease;
            copy.waitFor = waitFor;
            copy.renew = renew;
            copy.maxHold = maxHold;
            copy.warnAfter = warnAfter;
            copy.outageTolerance = outageTolerance;
            copy.release = release;
            return copy;
        }

        private List<@Nullable Object> all() {
            return Arrays.asList(lease, waitFor, renew, maxHold, warnAfter, outageTolerance, release);
        }
    }

    private LockDefaults(Values values) {
        this.values = values;
    }

    private LockDefaults with(Consumer<Values> change) {
        Values changed = values.copy();
        change.accept(changed);
        return new LockDefaults(changed);
    }

    /** {@return how long a lock survives without renewal} */
    public Duration lease() {
        return values.lease;
    }

    /** {@return how long {@code execute} and {@code acquire} wait for a lock; the {@code try…} methods do not wait} */
    public Duration waitFor() {
        return values.waitFor;
    }

    /** {@return whether leases are renewed} */
    public boolean renew() {
        return values.renew;
    }

    /** {@return how long after the grant renewal ends, if it does} */
    public Optional<Duration> maxHold() {
        return Optional.ofNullable(values.maxHold);
    }

    /** {@return after which time a held lock is logged, once} */
    public Duration warnAfter() {
        return values.warnAfter;
    }

    /** {@return how long a queued caller waits for Redis to recover from a failure, within {@code waitFor}} */
    public Duration outageTolerance() {
        return values.outageTolerance;
    }

    /** {@return what a release waits for} */
    public ReleaseMode release() {
        return values.release;
    }

    /**
     * {@return a copy with that lease}
     *
     * @param value 100 ms to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withLease(Duration value) {
        LockRequest.checkRange("lease", value, LockRequest.MIN_LEASE);
        return with(values -> values.lease = value);
    }

    /**
     * {@return a copy that waits for that long}
     *
     * @param value 0, for a single try, to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withWaitFor(Duration value) {
        LockRequest.checkRange("waitFor", value, Duration.ZERO);
        return with(values -> values.waitFor = value);
    }

    /**
     * {@return a copy that renews leases, or does not}
     *
     * @param value whether leases are renewed
     */
    public LockDefaults withRenew(boolean value) {
        return with(values -> values.renew = value);
    }

    /**
     * {@return a copy with that limit on the hold}
     *
     * @param value how long after the grant renewal ends; 100 ms to 365 days, or null for no limit
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withMaxHold(@Nullable Duration value) {
        if (value != null) {
            LockRequest.checkRange("maxHold", value, LockRequest.MIN_LEASE);
        }
        return with(values -> values.maxHold = value);
    }

    /**
     * {@return a copy that warns after that time}
     *
     * @param value 1 ms to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withWarnAfter(Duration value) {
        LockRequest.checkRange("warnAfter", value, Duration.ofMillis(1));
        return with(values -> values.warnAfter = value);
    }

    /**
     * {@return a copy that tolerates outages for that time}
     *
     * @param value 0, to fail immediately, to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withOutageTolerance(Duration value) {
        LockRequest.checkRange("outageTolerance", value, Duration.ZERO);
        return with(values -> values.outageTolerance = value);
    }

    /**
     * {@return a copy with that release mode}
     *
     * @param value {@link ReleaseMode#SENT} to return before Redis has answered
     */
    public LockDefaults withRelease(ReleaseMode value) {
        return with(values -> values.release = value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockDefaults defaults && values.all().equals(defaults.values.all());
    }

    @Override
    public int hashCode() {
        return values.all().hashCode();
    }

    @Override
    public String toString() {
        return "LockDefaults[lease=%s, waitFor=%s, renew=%s, maxHold=%s, warnAfter=%s, outageTolerance=%s, release=%s]"
                .formatted(values.all().toArray());
    }
}
