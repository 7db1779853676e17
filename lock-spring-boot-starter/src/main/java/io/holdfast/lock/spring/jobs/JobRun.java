package io.holdfast.lock.spring.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * One run of a job, as recorded with its lock. Its times are those of the clock of Redis, in milliseconds, except the fire time.
 *
 * @param fireTime the time for which it runs: of the schedule, or with a fixed delay the time at which it was due
 * @param attempt 1 for the first run for that fire time, 2 for its repetition or take-over, and so on
 * @param outcome how it ended, or that it is running
 * @param start when it began
 * @param end when it ended or, if it was lost, when that was found; empty while it is running
 * @param fencingToken that of its lock
 * @param instance where it ran: host and process
 * @param failure the type and the first line of the message of its failure; empty if there is none
 */
public record JobRun(
        Instant fireTime,
        int attempt,
        Outcome outcome,
        Instant start,
        Optional<Instant> end,
        long fencingToken,
        String instance,
        Optional<String> failure) {

    /** How a run ended. */
    public enum Outcome {
        /** It has not ended, as far as its record says; its instance may have died since. */
        RUNNING,
        /** Its method returned. */
        SUCCEEDED,
        /** Its method threw an exception. */
        FAILED,
        /** Its instance died, or lost the lock, so its end is unknown. Another instance has taken over, or the next fire time has come. */
        LOST,
        /** It did not run, because the job was paused. */
        SKIPPED
    }

    static JobRun begun(Decision.Run due, Instant start, long token, String instance) {
        Instant fireTime = due.fireTime().truncatedTo(ChronoUnit.MILLIS);
        Optional<Instant> end = Optional.empty();
        return new JobRun(fireTime, due.attempt(), Outcome.RUNNING, start, end, token, instance, Optional.empty());
    }

    JobRun ended(Outcome how, Instant at, Optional<String> why) {
        return new JobRun(fireTime, attempt, how, start, Optional.of(at), fencingToken, instance, why);
    }
}
