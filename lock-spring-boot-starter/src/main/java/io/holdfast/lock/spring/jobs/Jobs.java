package io.holdfast.lock.spring.jobs;

import java.util.List;
import java.util.Optional;

/**
 * The jobs of this application that run once for each fire time: methods with {@link io.holdfast.lock.spring.annotation.OnOneInstance} and a
 * {@code @Scheduled}. Thread-safe. What it reads and writes is in Redis, and so applies to all instances; its methods throw {@link
 * io.holdfast.lock.api.LockStoreException} if Redis does not respond.
 */
public interface Jobs {

    /** {@return the run that the current thread is executing, with its fire time and attempt; empty outside of a job} */
    static Optional<JobRun> currentRun() {
        return Optional.ofNullable(JobCall.CURRENT.get());
    }

    /** {@return all jobs, by name, with their last runs} */
    List<JobStatus> list();

    /**
     * {@return one job, with its last runs}
     *
     * @param job its name
     * @throws IllegalArgumentException if there is no such job
     */
    JobStatus get(String job);

    /**
     * Skips all runs of a job on all instances until it is {@linkplain #resume resumed}, or for a year. A run in progress continues. The
     * fire times are recorded as {@linkplain JobRun.Outcome#SKIPPED skipped}.
     *
     * @param job its name
     * @throws IllegalArgumentException if there is no such job
     */
    void pause(String job);

    /**
     * Ends a pause. Has no effect if the job is not paused.
     *
     * @param job its name
     * @throws IllegalArgumentException if there is no such job
     */
    void resume(String job);
}
