package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports long holds: each lease once, at its warning threshold; and the first lease of all that is held for a second.
 *
 * <p>Thread-safe: only the clock thread checks leases, so nothing is reported twice.
 */
final class LongHolds {

    private static final Logger log = LoggerFactory.getLogger(LongHolds.class);

    private static final long LONG_HOLD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LeaseEvents events;
    private volatile @Nullable Runnable onFirst;

    LongHolds(LeaseEvents events) {
        this.events = events;
    }

    /** Runs the action once, when any lease has been held for a second. */
    void onFirst(Runnable action) {
        onFirst = action;
    }

    /** Reports what is due. */
    void look(Lease lease, long now) {
        if (!lease.longHoldReported && lease.warnAt() - now <= 0) {
            lease.longHoldReported = true;
            events.longHeld(new LockEvent.LongHeld(lease.key(), lease.name(), lease.token(), lease.held()));
        }
        Runnable action = onFirst;
        if (action != null && now - lease.heldSince() >= LONG_HOLD_NANOS) {
            onFirst = null;
            try {
                action.run();
            } catch (RuntimeException | Error e) {
                log.error("Unexpected error in thread holdfast-clock; continuing", e);
            }
        }
    }

    /** When to check the lease, or the given time if nothing is due before it. */
    long nextLook(Lease lease, long otherwise) {
        long at = otherwise;
        if (onFirst != null) {
            at = Alarms.earlier(at, lease.heldSince() + LONG_HOLD_NANOS);
        }
        return lease.longHoldReported ? at : Alarms.earlier(at, lease.warnAt());
    }
}
