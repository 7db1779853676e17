package io.holdfast.lock.spring.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.scheduling.support.CronExpression;

/**
 * The fire times of a method. Spring does not pass the fire time on to advice, so the instance names it as its scheduler did: the latest
 * one at or before its own clock. A method that begins late, because the scheduler was busy, still names it; so do instances whose clocks
 * differ, each at the time when its own clock gets there.
 *
 * <p>The ticks of a fixed rate are the multiples of the period since the epoch, and so the same on all instances, although each counts its
 * periods from its own start.
 *
 * @param sources one for each {@code @Scheduled} of the method, at least one
 */
record FireTimes(List<Source> sources) implements Schedule {

    /** A timer may fire a few milliseconds before the time on the wall clock. {@link JobRules} has an answer to more than that. */
    static final Duration EARLY = Duration.ofMillis(10);

    FireTimes {
        sources = List.copyOf(sources);
    }

    /** {@return the latest fire time at or before the time on this instance's clock; empty if there has been none in sixteen years} */
    Optional<Instant> latest(Instant local) {
        Instant by = local.plus(EARLY);
        return sources.stream().flatMap(each -> each.latest(by).stream()).max(Comparator.naturalOrder());
    }

    /** The first fire time after the given one. */
    @Override
    public Optional<Instant> next(Instant after) {
        return sources.stream().flatMap(each -> each.next(after).stream()).min(Comparator.naturalOrder());
    }

    @Override
    public String toString() {
        return sources.stream().map(Source::toString).collect(Collectors.joining(", "));
    }

    /** One {@code @Scheduled}. */
    sealed interface Source {

        Optional<Instant> latest(Instant by);

        Optional<Instant> next(Instant after);
    }

    /**
     * A cron expression, as Spring reads it, also on the days of a clock change.
     *
     * @param expression the expression
     * @param zone the zone in which it is read
     */
    record Cron(CronExpression expression, ZoneId zone) implements Source {

        private static final long MAX_LOOKBACK = Duration.ofDays(16 * 366).toSeconds();

        /**
         * Spring's expressions only look forward. There is a fire time in {@code (s, by]} for each second {@code s} before the latest
         * fire time, and for no other, so a search by halves finds that second.
         */
        @Override
        public Optional<Instant> latest(Instant by) {
            long none = by.getEpochSecond();
            long lookback = 1;
            while (!firesBetween(none - lookback, by)) {
                lookback *= 2;
                if (lookback > MAX_LOOKBACK) {
                    return Optional.empty();
                }
            }
            long some = none - lookback;
            while (none - some > 1) {
                long middle = (some + none) / 2;
                if (firesBetween(middle, by)) {
                    some = middle;
                } else {
                    none = middle;
                }
            }
            return next(Instant.ofEpochSecond(some));
        }

        private boolean firesBetween(long afterSecond, Instant by) {
            return next(Instant.ofEpochSecond(afterSecond))
                    .filter(next -> !next.isAfter(by))
                    .isPresent();
        }

        @Override
        public Optional<Instant> next(Instant after) {
            return Optional.ofNullable(expression.next(after.atZone(zone))).map(ZonedDateTime::toInstant);
        }

        @Override
        public String toString() {
            return "cron " + expression + " (" + zone + ")";
        }
    }

    /**
     * A fixed rate.
     *
     * @param periodMillis 1 or more
     */
    record Rate(long periodMillis) implements Source {

        @Override
        public Optional<Instant> latest(Instant by) {
            return Optional.of(tick(by, 0));
        }

        @Override
        public Optional<Instant> next(Instant after) {
            return Optional.of(tick(after, 1));
        }

        private Instant tick(Instant at, int further) {
            return Instant.ofEpochMilli((Math.floorDiv(at.toEpochMilli(), periodMillis) + further) * periodMillis);
        }

        @Override
        public String toString() {
            return "fixedRate " + Duration.ofMillis(periodMillis);
        }
    }
}
