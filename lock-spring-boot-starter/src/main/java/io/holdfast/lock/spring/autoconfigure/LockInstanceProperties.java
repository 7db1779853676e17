package io.holdfast.lock.spring.autoconfigure;

import static io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException.checkTime;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.definition.LockSettings;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the annotated methods with a name, unless set by their annotation.
 *
 * @param lease How long the lock survives without renewal, at least 100ms. Default is the value of holdfast.lease.
 * @param waitFor How long to wait for the lock. Zero is a single try. Default is the value of holdfast.wait-for.
 * @param renew Whether the lease is renewed while the lock is held. Default is the value of holdfast.renew.
 * @param minHold Keeps others out for at least this time, even if the method ends earlier.
 * @param maxHold Time after which renewal ends, counted from the grant. Default is the value of holdfast.max-hold.
 * @param outageTolerance How long a queued caller waits for Redis to recover from a failure. Default is the value of
 *     holdfast.outage-tolerance.
 * @param fair Whether callers are served strictly in order of arrival, across all instances of the application.
 * @param limit How many callers may hold the lock at the same time, if the mode of the annotation is SHARED.
 * @param weight How much of the limit each call takes. Default is 1.
 * @param maxWaiting How many calls may wait for the same key. Further calls fail immediately. No limit by default.
 */
record LockInstanceProperties(
        @Nullable Duration lease,
        @Nullable Duration waitFor,
        @Nullable Boolean renew,
        @Nullable Duration minHold,
        @Nullable Duration maxHold,
        @Nullable Duration outageTolerance,
        @Nullable Boolean fair,
        @Nullable Integer limit,
        @Nullable Integer weight,
        @Nullable Integer maxWaiting) {

    /**
     * Checks each value, so that a failure names its property.
     *
     * @param prefix of the properties
     * @throws InvalidLockPropertyException if a value is out of range
     */
    void checkAs(String prefix) {
        checkTime(prefix + ".lease", lease, LockRequest.MIN_LEASE);
        checkTime(prefix + ".wait-for", waitFor, Duration.ZERO);
        checkTime(prefix + ".min-hold", minHold, Duration.ZERO);
        checkTime(prefix + ".max-hold", maxHold, LockRequest.MIN_LEASE);
        checkTime(prefix + ".outage-tolerance", outageTolerance, Duration.ZERO);
        if (limit != null && limit < 1) {
            throw new InvalidLockPropertyException(prefix + ".limit", limit, "1 or more");
        }
        if (weight != null && weight < 1) {
            throw new InvalidLockPropertyException(prefix + ".weight", weight, "1 or more");
        }
        if (maxWaiting != null && maxWaiting < 1) {
            throw new InvalidLockPropertyException(prefix + ".max-waiting", maxWaiting, "1 or more");
        }
    }

    LockSettings toSettings() {
        return new LockSettings(
                Optional.ofNullable(lease),
                Optional.ofNullable(waitFor),
                Optional.ofNullable(renew),
                Optional.ofNullable(minHold),
                Optional.ofNullable(maxHold),
                Optional.ofNullable(outageTolerance),
                Optional.ofNullable(fair),
                Optional.ofNullable(limit),
                Optional.ofNullable(weight),
                Optional.ofNullable(maxWaiting));
    }
}
