package io.holdfast.lock.spring.definition;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of settings that are valid, but rarely what was meant. */
final class DoubtfulSettings {

    private static final Logger log = LoggerFactory.getLogger(LockDefinition.class);

    /** The unit of attributes is seconds: whoever writes milliseconds gets leases of hours. */
    private static final Duration LONG_LEASE = Duration.ofHours(1);

    private DoubtfulSettings() {}

    /**
     * Warns of each doubtful setting of one annotated method.
     *
     * @param where the annotated method
     * @param isCron whether it is scheduled by cron, so that all nodes run it at the same time
     * @param settings what its annotation and its properties say
     * @param defaultLease the lease if they say none
     */
    static void warn(String where, boolean isCron, LockSettings settings, Duration defaultLease) {
        if (isCron && settings.minHold().isEmpty()) {
            log.warn(
                    "{} is scheduled by cron and has no minHold: a node that starts it late runs it again after another"
                            + " node has finished. Set minHold, or holdfast.scheduled.min-hold, to more than the"
                            + " clock skew between nodes, and set waitFor = 0 with onContention = SKIP.",
                    where);
        }
        if (settings.renew().orElse(true)) {
            settings.lease().ifPresent(lease -> warnOfLongLease(where, lease));
        }
        Duration lease = settings.lease().orElse(defaultLease);
        settings.maxHold().ifPresent(maxHold -> warnOfShortMaxHold(where, maxHold, lease));
    }

    private static void warnOfLongLease(String where, Duration lease) {
        if (lease.compareTo(LONG_LEASE) >= 0) {
            log.warn(
                    "{} has a lease of {}: if an instance is killed while it holds the lock, others have to wait for"
                            + " the whole lease. With renewal, which is the default, a lease can be shorter than the"
                            + " method's run time. Numbers are in seconds unless timeUnit is set.",
                    where,
                    lease);
        }
    }

    private static void warnOfShortMaxHold(String where, Duration maxHold, Duration lease) {
        if (maxHold.compareTo(lease) < 0) {
            log.warn(
                    "{} has a maxHold of {}, shorter than its lease of {}: the lock is held until its lease expires. Set the"
                            + " lease to at most maxHold.",
                    where,
                    maxHold,
                    lease);
        }
    }
}
