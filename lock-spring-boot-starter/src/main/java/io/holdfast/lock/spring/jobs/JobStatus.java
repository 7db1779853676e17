package io.holdfast.lock.spring.jobs;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A job at one point in time.
 *
 * @param name its name
 * @param method its class and method
 * @param schedule when it runs, as text
 * @param nextFireTime when it is due next; empty with a fixed delay while it is running, or before its first run
 * @param paused whether its runs are skipped
 * @param runs its last runs, the latest first
 */
public record JobStatus(
        String name,
        String method,
        String schedule,
        Optional<Instant> nextFireTime,
        boolean paused,
        List<JobRun> runs) {

    /** Copies the list. */
    public JobStatus {
        runs = List.copyOf(runs);
    }
}
