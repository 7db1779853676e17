package io.holdfast.lock.spring.jobs;

import java.time.Duration;

/**
 * The settings of all jobs.
 *
 * @param history how many runs are kept
 * @param keep how long they are kept after the last one
 * @param lease the lease of a lock whose annotation has none
 * @param keepsData whether the store keeps data of locks, and so the runs of jobs
 * @param maxDataSize how much data a lock may have, in bytes
 */
public record JobSettings(int history, Duration keep, Duration lease, boolean keepsData, int maxDataSize) {}
