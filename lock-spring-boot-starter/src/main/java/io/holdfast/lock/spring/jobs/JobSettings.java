package io.holdfast.lock.spring.jobs;

import java.time.Duration;

/**
 * The settings of all jobs.
 *
 * @param history how many runs are kept
 * @param keep how long they are kept after the last one
 * @param lease the lease of a lock whose annotation has none
 */
public record JobSettings(int history, Duration keep, Duration lease) {

    /** Those of one job, from its annotation. */
    record OfJob(int attempts, Duration retryAfter, Duration catchUp) {}
}
