package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports leases that are held for long: each by its warning threshold, once; and the first of all that is held for a second.
 *
 * <p>Thread-safe: a lease is looked at by the clock thread only, so what it has reported it does not report again.
 */
final class LongHolds {

    private static final long LONG_HOLD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LeaseEvents events;
    private volatile @Nullable Runnable onFirst;

    LongHolds(LeaseEvents events) {
        this.events = events;
    }

    /** Has the action run once, when some lease has been held for a second. */
    void onFirst(Runnable action) {
        onFirst = action;
    }

    /** Reports what there is to report. */
    void look(Lease lease, long now) {
        if (!lease.longHoldReported && lease.warnAt() - now <= 0) {
            lease.longHoldReported = true;
            events.longHeld(new LockEvent.LongHeld(lease.key(), lease.name(), lease.token(), lease.held()));
        }
        Runnable action = onFirst;
        if (action != null && now - lease.heldSince() >= LONG_HOLD_NANOS) {
            onFirst = null;
            action.run();
        }
    }

    /** When to look at the lease, or that time if there is nothing to report before. */
    long nextLook(Lease lease, long otherwise) {
        long at = otherwise;
        if (onFirst != null) {
            at = Alarms.earlier(at, lease.heldSince() + LONG_HOLD_NANOS);
        }
        return lease.longHoldReported ? at : Alarms.earlier(at, lease.warnAt());
    }
}
