package io.holdfast.lock.spring.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** When a job is due, as its {@code @Scheduled} says. Pure: all instances compute the same from the same time. */
sealed interface Schedule permits FireTimes, Schedule.Delay {

    Duration MAX_TOLERANCE = Duration.ofMinutes(1);

    /** {@return the first fire time after the given one; empty if there is none} */
    default Optional<Instant> next(Instant after) {
        return Optional.empty();
    }

    /** {@return half of the time from one fire time to the next, at most a minute: by that much, clocks may differ} */
    default Duration tolerance(Instant fireTime) {
        return next(fireTime)
                .map(next -> Duration.between(fireTime, next).dividedBy(2))
                .filter(half -> half.compareTo(MAX_TOLERANCE) < 0)
                .orElse(MAX_TOLERANCE);
    }

    /** {@return how soon to look again for a fire time that nobody has claimed, while the lock is held} */
    default Duration pollInterval(Instant fireTime) {
        long fifth = tolerance(fireTime).toMillis() / 5;
        return Duration.ofMillis(Math.max(100, Math.min(5_000, fifth)));
    }

    /**
     * A delay from the end of a run to the beginning of the next, wherever they run. It has no fire times that clocks could name.
     *
     * @param delay zero or more
     */
    record Delay(Duration delay) implements Schedule {

        @Override
        public String toString() {
            return "fixedDelay " + delay;
        }
    }
}
