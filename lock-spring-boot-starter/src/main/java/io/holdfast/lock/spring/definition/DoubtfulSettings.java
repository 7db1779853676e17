package io.holdfast.lock.spring.definition;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of settings that are valid, but rarely what was meant. What each call says for itself is not known at startup, and not
 * judged.
 *
 * @param where the annotated method
 * @param isCron whether it is scheduled by cron, so that all nodes run it at the same time
 * @param times what each call says for itself
 */
record DoubtfulSettings(String where, boolean isCron, CallTimes times) {

    private static final Logger log = LoggerFactory.getLogger(LockDefinition.class);

    /** The unit of attributes is seconds: whoever writes milliseconds gets leases of hours. */
    private static final Duration LONG_LEASE = Duration.ofHours(1);

    /**
     * Warns of each doubtful setting.
     *
     * @param settings what the annotation and the properties say
     * @param defaultLease the lease if they say none
     */
    void warn(LockSettings settings, Duration defaultLease) {
        if (isCron && settings.minHold().isEmpty() && !times.have(SettingsParser.MIN_HOLD)) {
            log.warn(
                    "{} is scheduled by cron and has no minHold: a node that starts it late runs it again after another"
                            + " node has finished. Set minHold, or holdfast.scheduled.min-hold, to more than the"
                            + " clock skew between nodes, and set waitFor = 0 with onContention = SKIP.",
                    where);
        }
        if (times.have(SettingsParser.LEASE)) {
            return;
        }
        if (settings.renew().orElse(true)) {
            settings.lease().ifPresent(this::warnOfLongLease);
        }
        if (!times.have(SettingsParser.MAX_HOLD)) {
            Duration lease = settings.lease().orElse(defaultLease);
            settings.maxHold().ifPresent(maxHold -> warnOfShortMaxHold(maxHold, lease));
        }
    }

    private void warnOfLongLease(Duration lease) {
        if (lease.compareTo(LONG_LEASE) >= 0) {
            log.warn(
                    "{} has a lease of {}: if an instance is killed while it holds the lock, others have to wait for"
                            + " the whole lease. With renewal, which is the default, a lease can be shorter than the"
                            + " method's run time. Numbers are in seconds unless timeUnit is set.",
                    where,
                    lease);
        }
    }

    private void warnOfShortMaxHold(Duration maxHold, Duration lease) {
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
