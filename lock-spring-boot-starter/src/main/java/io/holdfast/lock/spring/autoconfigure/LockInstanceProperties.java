package io.holdfast.lock.spring.autoconfigure;

import static io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException.checkTime;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.ReleaseMode;
import io.holdfast.lock.spring.definition.LockSettings;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the annotated methods with one name, where their annotation says nothing.
 *
 * @param lease How long the lock survives without renewal, at least 100ms. As holdfast.lease unless set.
 * @param waitFor How long to wait for the lock. Zero is one try. As holdfast.wait-for unless set.
 * @param renew Whether the lock is renewed while it is held. As holdfast.renew unless set.
 * @param minHold Keeps others out for at least this time, also when the method is through earlier.
 * @param maxHold Ends renewal this long after the lock was acquired. As holdfast.max-hold unless set.
 * @param outageTolerance How long who has queued waits for a failure of Redis. As holdfast.outage-tolerance unless set.
 * @param release What releasing the lock waits for. As holdfast.release unless set.
 * @param fair Whether callers are served strictly in order of arrival, over all instances of the application.
 * @param limit How many may hold the lock together, where the annotation's mode is SHARED.
 * @param maxWaiting How many calls may wait for one key. One more fails at once. Any number unless set.
 */
record LockInstanceProperties(
        @Nullable Duration lease,
        @Nullable Duration waitFor,
        @Nullable Boolean renew,
        @Nullable Duration minHold,
        @Nullable Duration maxHold,
        @Nullable Duration outageTolerance,
        @Nullable ReleaseMode release,
        @Nullable Boolean fair,
        @Nullable Integer limit,
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
                Optional.ofNullable(release),
                Optional.ofNullable(fair),
                Optional.ofNullable(limit),
                Optional.ofNullable(maxWaiting));
    }
}
