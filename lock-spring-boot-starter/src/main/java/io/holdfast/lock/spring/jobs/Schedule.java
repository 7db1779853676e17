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
 * When a job is due, as its {@code @Scheduled} says. Pure: all instances compute the same from the same time.
 *
 * <p>Spring does not pass the fire time on to advice, so the instance names it as its scheduler did: the latest one at or before its own
 * clock. A method that begins late, because the scheduler was busy, still names it; so do instances whose clocks differ, each at the time
 * when its own clock gets there.
 */
sealed interface Schedule {

    Duration MAX_TOLERANCE = Duration.ofMinutes(1);

    /** {@return the latest fire time at or before the given time; empty if there has been none in seventeen years} */
    default Optional<Instant> latest(Instant by) {
        return Optional.empty();
    }

    /** {@return the first fire time after the given one; empty if there is none} */
    default Optional<Instant> next(Instant after) {
        return Optional.empty();
    }

    /** {@return the fire time before the latest one; empty if there is none} */
    default Optional<Instant> lastButOne(Instant by) {
        return latest(by).flatMap(last -> latest(last.minusMillis(1)));
    }

    /** {@return the time from one run to the next, if that is fixed; zero if it is not} */
    default Duration period() {
        return Duration.ZERO;
    }

    /** {@return half of the time from one fire time to the next, at most a minute: by that much, clocks may differ} */
    default Duration tolerance(Instant fireTime) {
        return next(fireTime)
                .map(next -> Duration.between(fireTime, next).dividedBy(2))
                .filter(half -> half.compareTo(MAX_TOLERANCE) < 0)
                .orElse(MAX_TOLERANCE);
    }

    /**
     * A cron expression, as Spring reads it, also on the days of a clock change.
     *
     * @param expression the expression
     * @param zone the zone in which it is read
     */
    record Cron(CronExpression expression, ZoneId zone) implements Schedule {

        /** Seventeen years, in seconds. */
        private static final long LOOKBACK = 1L << 29;

        /**
         * Spring's expressions only look forward. There is a fire time in {@code (s, by]} for each second {@code s} before the latest
         * fire time, and for no other, so a search by halves finds the last such second.
         */
        @Override
        public Optional<Instant> latest(Instant by) {
            long second = by.getEpochSecond() - LOOKBACK;
            for (long step = LOOKBACK / 2; step > 0; step /= 2) {
                second += firesBetween(second + step, by).isPresent() ? step : 0;
            }
            return firesBetween(second, by);
        }

        private Optional<Instant> firesBetween(long second, Instant by) {
            return next(Instant.ofEpochSecond(second)).filter(next -> !next.isAfter(by));
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
     * A fixed rate. Its ticks are the multiples of the period since the epoch, and so the same on all instances, although each counts its
     * periods from its own start.
     *
     * @param period a millisecond or more
     */
    record Rate(Duration period) implements Schedule {

        @Override
        public Optional<Instant> latest(Instant by) {
            return Optional.of(tick(by, 0));
        }

        @Override
        public Optional<Instant> next(Instant after) {
            return Optional.of(tick(after, 1));
        }

        private Instant tick(Instant at, int further) {
            long millis = period.toMillis();
            return Instant.ofEpochMilli((Math.floorDiv(at.toEpochMilli(), millis) + further) * millis);
        }

        @Override
        public String toString() {
            return "fixedRate " + period;
        }
    }

    /**
     * Several {@code @Scheduled} of a method.
     *
     * @param all none of them a {@link Delay}
     */
    record Several(List<Schedule> all) implements Schedule {

        @Override
        public Optional<Instant> latest(Instant by) {
            return all.stream().flatMap(each -> each.latest(by).stream()).max(Comparator.naturalOrder());
        }

        @Override
        public Optional<Instant> next(Instant after) {
            return all.stream().flatMap(each -> each.next(after).stream()).min(Comparator.naturalOrder());
        }

        @Override
        public String toString() {
            return all.stream().map(Schedule::toString).collect(Collectors.joining(", "));
        }
    }

    /**
     * A delay from the end of a run to the beginning of the next, wherever they run. It has no fire times that clocks could name.
     *
     * @param period zero or more
     */
    record Delay(Duration period) implements Schedule {

        @Override
        public String toString() {
            return "fixedDelay " + period;
        }
    }
}
