package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Optional;

/**
 * What to lock, and how. Immutable; whatever is not said is left to the client's {@link LockDefaults}.
 *
 * <pre>{@code
 * LockRequest.of("stock:7").lease(Duration.ofSeconds(10)).waitFor(Duration.ofSeconds(2))
 * }</pre>
 *
 * <p>All times are from 0 (leases from 100 ms) to 365 days; the store counts in milliseconds, so finer parts are cut.
 *
 * @param key what is locked
 * @param lease how long the lock survives without renewal
 * @param waitFor how long to wait for it; zero is one try
 * @param renew whether the lease is renewed while the lock is held
 * @param minHold keeps the lock this long after the grant even if it is released earlier
 * @param maxHold ends renewal this long after the grant; the lease then runs out
 */
public record LockRequest(
        LockKey key,
        Optional<Duration> lease,
        Optional<Duration> waitFor,
        Optional<Boolean> renew,
        Optional<Duration> minHold,
        Optional<Duration> maxHold) {

    /** The shortest lease. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);

    /** The longest time that any setting takes. */
    public static final Duration MAX_TIME = Duration.ofDays(365);

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if a time is out of range; the message says which, and what is allowed
     */
    public LockRequest {
        lease.ifPresent(value -> checkRange("lease", value, MIN_LEASE));
        waitFor.ifPresent(value -> checkRange("waitFor", value, Duration.ZERO));
        minHold.ifPresent(value -> checkRange("minHold", value, Duration.ZERO));
        maxHold.ifPresent(value -> checkRange("maxHold", value, MIN_LEASE));
    }

    /**
     * {@return a request with the client's defaults}
     *
     * @param key what to lock
     * @throws LockKeyException if the text cannot be a key
     */
    public static LockRequest of(String key) {
        return of(LockKey.of(key));
    }

    /**
     * {@return a request with the client's defaults}
     *
     * @param key what to lock
     */
    public static LockRequest of(LockKey key) {
        return new LockRequest(
                key, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * {@return a copy with that lease}
     *
     * @param value how long the lock survives without renewal; 100 ms or more
     */
    public LockRequest lease(Duration value) {
        return new LockRequest(key, Optional.of(value), waitFor, renew, minHold, maxHold);
    }

    /**
     * {@return a copy with that limit}
     *
     * @param value how long to wait; zero is one try
     */
    public LockRequest waitFor(Duration value) {
        return new LockRequest(key, lease, Optional.of(value), renew, minHold, maxHold);
    }

    /**
     * {@return a copy that is renewed, or not}
     *
     * @param value false makes the lease a fixed time limit
     */
    public LockRequest renew(boolean value) {
        return new LockRequest(key, lease, waitFor, Optional.of(value), minHold, maxHold);
    }

    /**
     * Keeps others out for at least this time, also when the work was shorter: a job that several nodes start at about
     * the same time runs once. Such a request does not reenter a lock that its thread already holds.
     *
     * @param value counted from the grant
     * @return a copy with that minimum
     */
    public LockRequest minHold(Duration value) {
        return new LockRequest(key, lease, waitFor, renew, Optional.of(value), maxHold);
    }

    /**
     * {@return a copy whose renewal ends then}
     *
     * @param value counted from the grant; 100 ms or more
     */
    public LockRequest maxHold(Duration value) {
        return new LockRequest(key, lease, waitFor, renew, minHold, Optional.of(value));
    }

    /**
     * Checks one time setting.
     *
     * @param name the setting, for the message
     * @param value its value
     * @param min the least that is allowed
     * @return the value
     * @throws IllegalArgumentException if it is out of range
     */
    static Duration checkRange(String name, Duration value, Duration min) {
        if (value.compareTo(min) < 0 || value.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + value + "; allowed is " + min.toMillis() + " ms to " + MAX_TIME.toDays() + " days");
        }
        return value;
    }
}
