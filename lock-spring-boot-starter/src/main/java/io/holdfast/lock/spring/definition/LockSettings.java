package io.holdfast.lock.spring.definition;

import java.time.Duration;
import java.util.Optional;

/**
 * What an annotation, or the properties of its instance, say of how to lock; empty where they say nothing.
 *
 * @param lease how long the lock survives without renewal
 * @param waitFor how long to wait for it
 * @param renew whether it is renewed
 * @param minHold how long others are kept out at least
 * @param maxHold when renewal ends
 * @param outageTolerance how long a failure of Redis is waited for by who has queued
 * @param fair whether callers are served in order of arrival
 * @param limit how many may hold it together, if it is shared
 * @param weight how much of the limit a call takes
 * @param maxWaiting how many calls may wait for one key
 */
public record LockSettings(
        Optional<Duration> lease,
        Optional<Duration> waitFor,
        Optional<Boolean> renew,
        Optional<Duration> minHold,
        Optional<Duration> maxHold,
        Optional<Duration> outageTolerance,
        Optional<Boolean> fair,
        Optional<Integer> limit,
        Optional<Integer> weight,
        Optional<Integer> maxWaiting) {

    /** Says nothing. */
    public static final LockSettings NONE = new LockSettings(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    /**
     * {@return these settings, and the lower ones where these say nothing}
     *
     * @param lower what is less close to the method
     */
    LockSettings or(LockSettings lower) {
        return new LockSettings(
                lease.or(lower::lease),
                waitFor.or(lower::waitFor),
                renew.or(lower::renew),
                minHold.or(lower::minHold),
                maxHold.or(lower::maxHold),
                outageTolerance.or(lower::outageTolerance),
                fair.or(lower::fair),
                limit.or(lower::limit),
                weight.or(lower::weight),
                maxWaiting.or(lower::maxWaiting));
    }
}
