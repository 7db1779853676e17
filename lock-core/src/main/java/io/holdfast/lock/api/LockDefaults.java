package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Optional;

/**
 * What a client does where a {@link LockRequest} says nothing.
 *
 * @param lease how long a lock survives without renewal; 100 ms to 365 days, 30 s unless told
 * @param waitFor how long {@code execute} and {@code acquire} wait; 0, which is one try, to 365 days, 5 s unless told
 *     ({@code try…} does not wait)
 * @param renew whether leases are renewed; true unless told
 * @param maxHold ends renewal this long after the grant; 100 ms to 365 days, none unless told
 * @param warnAfter a lock held for longer is logged once; 1 ms to 365 days, 60 s unless told
 * @param outageTolerance how long who has queued for a lock waits for a failure of Redis, within {@code waitFor}; 0, which is
 *     to fail at once, to 365 days, 30 s unless told: longer than sentinels and clusters usually need to replace a server
 * @param release what releasing a lock waits for; {@link ReleaseMode#ACKNOWLEDGED} unless told
 */
public record LockDefaults(
        Duration lease,
        Duration waitFor,
        boolean renew,
        Optional<Duration> maxHold,
        Duration warnAfter,
        Duration outageTolerance,
        ReleaseMode release) {

    private static final Duration OUTAGE_TOLERANCE = Duration.ofSeconds(30);

    /** 30 s, renewed, waiting 5 s, no limit on the hold, a warning after 60 s, 30 s for an outage. */
    public static final LockDefaults STANDARD = new LockDefaults(
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            true,
            Optional.empty(),
            Duration.ofSeconds(60),
            OUTAGE_TOLERANCE,
            ReleaseMode.ACKNOWLEDGED);

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if a time is out of range; the message says which, and what is allowed
     */
    public LockDefaults {
        LockRequest.checkRange("lease", lease, LockRequest.MIN_LEASE);
        LockRequest.checkRange("waitFor", waitFor, Duration.ZERO);
        maxHold.ifPresent(value -> LockRequest.checkRange("maxHold", value, LockRequest.MIN_LEASE));
        LockRequest.checkRange("warnAfter", warnAfter, Duration.ofMillis(1));
        LockRequest.checkRange("outageTolerance", outageTolerance, Duration.ZERO);
    }

    /**
     * With the usual tolerance of outages, 30 s, and releases that are acknowledged.
     *
     * @param lease as in the record
     * @param waitFor as in the record
     * @param renew as in the record
     * @param maxHold as in the record
     * @param warnAfter as in the record
     * @throws IllegalArgumentException if a time is out of range
     */
    public LockDefaults(
            Duration lease, Duration waitFor, boolean renew, Optional<Duration> maxHold, Duration warnAfter) {
        this(lease, waitFor, renew, maxHold, warnAfter, OUTAGE_TOLERANCE, ReleaseMode.ACKNOWLEDGED);
    }

    /**
     * {@return a copy with another tolerance of outages}
     *
     * @param value 0 to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockDefaults withOutageTolerance(Duration value) {
        return new LockDefaults(lease, waitFor, renew, maxHold, warnAfter, value, release);
    }

    /**
     * {@return a copy whose releases wait for that}
     *
     * @param value {@link ReleaseMode#SENT} to return before Redis has answered
     */
    public LockDefaults withRelease(ReleaseMode value) {
        return new LockDefaults(lease, waitFor, renew, maxHold, warnAfter, outageTolerance, value);
    }
}
