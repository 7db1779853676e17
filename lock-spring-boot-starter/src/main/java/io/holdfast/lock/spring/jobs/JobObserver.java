package io.holdfast.lock.spring.jobs;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Is notified of runs, on the thread that runs the job. */
public interface JobObserver {

    /**
     * A job was found at startup.
     *
     * @param job its name
     * @param sinceSuccess yields the time since the end of its last successful run on any instance, as far as this instance knows
     * @param period yields the time between two runs: the mean of the last two periods of its schedule; with a fixed delay, that and the
     *     length of the last successful run
     */
    default void found(String job, Supplier<Optional<Duration>> sinceSuccess, Supplier<Optional<Duration>> period) {}

    /**
     * A run has begun or ended.
     *
     * @param event the run
     */
    void onEvent(JobEvent event);
}
