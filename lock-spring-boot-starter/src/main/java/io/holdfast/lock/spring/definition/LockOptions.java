package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the annotated methods with a certain name, unless set by their annotation.
 *
 * @param lease How long the lock survives without renewal, at least 100ms. Default is the value of holdfast.lease.
 * @param waitFor How long to wait for the lock. Zero is a single try. Default is the value of holdfast.wait-for.
 * @param renew Whether the lease is renewed while the lock is held. Default is true.
 * @param minHold Keeps others out for at least this time, even if the method ends earlier.
 * @param maxHold Time after which renewal ends, counted from the grant. Default is the value of holdfast.max-hold.
 * @param outageTolerance How long a queued caller waits for Redis to recover from a failure. Default is the value of
 *     holdfast.outage-tolerance.
 * @param fair Whether callers are served strictly in order of arrival, across all instances of the application.
 * @param limit How many callers may hold the lock at the same time, if the mode of the annotation is SHARED.
 * @param weight How much of the limit each call takes. Default is 1.
 * @param maxWaiting How many calls may wait for the same key. Further calls fail immediately. No limit by default.
 */
public record LockOptions(
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

    /** Nothing is set. */
    public static final LockOptions NONE = new LockOptions(null, null, null, null, null, null, null, null, null, null);

    /**
     * {@return the request with these options, except limit and weight, which depend on each other and on the mode}
     *
     * @param request the request, which is changed where options are set
     * @throws IllegalArgumentException if one is out of range
     */
    public LockRequest applyTo(LockRequest request) {
        LockRequest changed = lease == null ? request : request.lease(lease);
        changed = waitFor == null ? changed : changed.waitFor(waitFor);
        changed = renew == null ? changed : changed.renew(renew);
        changed = minHold == null ? changed : changed.minHold(minHold);
        changed = maxHold == null ? changed : changed.maxHold(maxHold);
        changed = outageTolerance == null ? changed : changed.outageTolerance(outageTolerance);
        changed = fair == null ? changed : changed.fair(fair);
        return maxWaiting == null ? changed : changed.maxWaiting(maxWaiting);
    }
}
