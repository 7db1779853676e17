package io.holdfast.lock.spring.jobs;

/**
 * A run has begun or ended; published as an application event by the instance that found it so. A {@linkplain JobRun.Outcome#LOST lost} run
 * is reported by the instance that takes over.
 *
 * @param job the name of the job
 * @param run the run, with its outcome
 */
public record JobEvent(String job, JobRun run) {}
