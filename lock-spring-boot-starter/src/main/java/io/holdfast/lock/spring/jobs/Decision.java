package io.holdfast.lock.spring.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What an instance does for a job now. */
sealed interface Decision {

    /**
     * Run it, if the lock is free.
     *
     * @param fireTime the fire time to claim
     * @param attempt 1, or more if a run for it has failed or was lost
     * @param makeUpTo see {@link JobState#makeUpTo}
     */
    record Run(Instant fireTime, int attempt, Optional<Instant> makeUpTo) implements Decision {}

    /** Nothing: the fire time has been claimed. */
    record Taken() implements Decision {}

    /**
     * Decide again later.
     *
     * @param at when, on the clock of Redis
     */
    record Later(Instant at) implements Decision {}

    /**
     * Nothing: this instance's clock is ahead of that of Redis by too much.
     *
     * @param fireTime the fire time, on this instance's clock
     * @param ahead by how much the fire time is in the future, on the clock of Redis
     */
    record Ahead(Instant fireTime, Duration ahead) implements Decision {}
}
