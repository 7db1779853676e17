package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of settings that are valid, but rarely what was meant. What each call says for itself is not known at startup, and not
 * judged.
 *
 * @param where the annotated method
 * @param schedule when all nodes run it
 * @param times what each call says for itself
 * @param numbers the times that the annotation gives as numbers of seconds
 */
record DoubtfulSettings(String where, Schedule schedule, CallTimes times, List<TimeAttribute.Given> numbers) {

    /** When a method is run without being called. */
    enum Schedule {
        /** Never, or once. */
        NONE,
        /** At the same time on all nodes. */
        CRON,
        /** Again and again, on each node from its start on. */
        PERIOD
    }

    private static final Logger log = LoggerFactory.getLogger(LockDefinition.class);

    private static final long SECOND_IN_MILLIS = 1000;
    private static final long HOUR = 3600;
    private static final long DAY = 24 * HOUR;
    private static final long MOST_DAYS = 100 * DAY;

    /**
     * Warns of each doubtful setting.
     *
     * @param settings what the annotation and the properties say
     * @param defaultLease the lease if they say none
     */
    void warn(LockSettings settings, Duration defaultLease) {
        if (settings.minHold().isEmpty() && !times.have(SettingsParser.MIN_HOLD)) {
            warnOfRuns();
        }
        for (TimeAttribute.Given each : numbers) {
            if (isLongLease(each) && settings.renew().orElse(true)) {
                warnOfLongLease(Duration.ofSeconds(each.number()));
            } else if (isLikeMilliseconds(each.number())) {
                warnOfMilliseconds(each);
            }
        }
        if (!times.have(SettingsParser.LEASE)) {
            Duration lease = settings.lease().orElse(defaultLease);
            settings.maxHold().ifPresent(maxHold -> warnOfShortMaxHold(maxHold, lease));
        }
    }

    private void warnOfRuns() {
        if (schedule == Schedule.CRON) {
            log.warn(
                    "{} is scheduled by cron and has no minHold: a node that starts it late runs it again after another"
                            + " node has finished. Set minHold, or holdfast.scheduled.min-hold, to more than the"
                            + " clock skew between nodes, and set waitFor = 0 with onContention = SKIP.",
                    where);
        } else if (schedule == Schedule.PERIOD) {
            log.warn(
                    "{} is scheduled at a fixed rate or delay and has no minHold: every node runs it, one after the other,"
                            + " because each node starts its periods when it is started. To run it on one node in each"
                            + " period, set minHold, or holdfast.scheduled.min-hold, to slightly less than the period, and"
                            + " set waitFor = 0 with onContention = SKIP.",
                    where);
        }
    }

    /** Milliseconds, as numbers of seconds, are leases of hours. */
    private static boolean isLongLease(TimeAttribute.Given given) {
        return given.name().equals(SettingsParser.LEASE) && given.number() >= HOUR;
    }

    /**
     * Round milliseconds of a second or more are 5000 or 1500, and as seconds they are odd times: 5000 s are 83 minutes. Hours and days
     * are meant (but 250 days are 6 hours in milliseconds), and so are quarters of an hour and tens of minutes, unless they would be whole seconds in milliseconds.
     */
    static boolean isLikeMilliseconds(long number) {
        boolean hours = number % HOUR == 0 && (number <= DAY || (number % DAY == 0 && number <= MOST_DAYS));
        boolean minutes = number % SECOND_IN_MILLIS != 0 && (number % 900 == 0 || number % 600 == 0);
        return number >= SECOND_IN_MILLIS
                && number != LockRequest.MAX_TIME.toSeconds()
                && number % 100 == 0
                && !hours
                && !minutes;
    }

    private void warnOfMilliseconds(TimeAttribute.Given given) {
        log.warn(
                "{} has {} = {}, which looks like milliseconds, but counts seconds: it is {}. Write the time with its unit:"
                        + " {} = \"{}ms\" or \"{}s\".",
                where,
                given.name(),
                given.number(),
                DurationText.of(Duration.ofSeconds(given.number())),
                given.textName(),
                given.number(),
                given.number());
    }

    private void warnOfLongLease(Duration lease) {
        log.warn(
                "{} has a lease of {}: if an instance is killed while it holds the lock, others have to wait for"
                        + " the whole lease. With renewal, which is the default, a lease can be shorter than the"
                        + " method's run time. Numbers are in seconds unless timeUnit is set.",
                where,
                DurationText.of(lease));
    }

    private void warnOfShortMaxHold(Duration maxHold, Duration lease) {
        if (maxHold.compareTo(lease) < 0) {
            log.warn(
                    "{} has a maxHold of {}, shorter than its lease of {}: the lock is held until its lease expires. Set the"
                            + " lease to at most maxHold.",
                    where,
                    DurationText.of(maxHold),
                    DurationText.of(lease));
        }
    }
}
