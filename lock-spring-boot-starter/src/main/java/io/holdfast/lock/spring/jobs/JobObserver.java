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
     * @param sinceDue yields the time since the last fire time but one: if the last success was before that, two fire times have had none;
     *     with a fixed delay, twice the sum of that and the length of the last successful run
     */
    default void found(String job, Supplier<Optional<Duration>> sinceSuccess, Supplier<Optional<Duration>> sinceDue) {}

    /**
     * A run has begun or ended.
     *
     * @param event the run
     */
    void onEvent(JobEvent event);
}
