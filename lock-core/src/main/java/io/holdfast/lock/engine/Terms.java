package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockDefaults;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.lease.LeaseTerms;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A request with the client's defaults filled in. */
record Terms(LeaseTerms lease, long waitNanos, boolean renew, long minHoldNanos) {

    static Terms of(LockRequest request, LockDefaults defaults, Duration defaultWait) {
        long minHold = request.minHold().map(Terms::wholeMillis).orElse(0L);
        long lease = wholeMillis(request.lease().orElse(defaults.lease()));
        long maxHold =
                request.maxHold().or(defaults::maxHold).map(Duration::toNanos).orElse(LeaseTerms.UNLIMITED);
        return new Terms(
                new LeaseTerms(
                        Math.max(lease, minHold), maxHold, defaults.warnAfter().toNanos()),
                request.waitFor().orElse(defaultWait).toNanos(),
                request.renew().orElse(defaults.renew()),
                minHold);
    }

    /** The store counts whole milliseconds; a deadline must not count more than it does. */
    private static long wholeMillis(Duration time) {
        return TimeUnit.MILLISECONDS.toNanos(time.toMillis());
    }
}
