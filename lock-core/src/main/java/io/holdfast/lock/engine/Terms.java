package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockDefaults;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.lease.LeaseTerms;
import java.time.Duration;

/** A request with the client's defaults filled in. */
record Terms(LeaseTerms lease, long waitNanos, boolean renew, long minHoldNanos) {

    static Terms of(LockRequest request, LockDefaults defaults, Duration defaultWait) {
        long minHold = request.minHold().map(Duration::toNanos).orElse(0L);
        long lease = request.lease().orElse(defaults.lease()).toNanos();
        long maxHold =
                request.maxHold().or(defaults::maxHold).map(Duration::toNanos).orElse(LeaseTerms.UNLIMITED);
        return new Terms(
                new LeaseTerms(
                        Math.max(lease, minHold), maxHold, defaults.warnAfter().toNanos()),
                request.waitFor().orElse(defaultWait).toNanos(),
                request.renew().orElse(defaults.renew()),
                minHold);
    }
}
