package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.spring.jobs.JobEvent;
import io.holdfast.lock.spring.jobs.JobObserver;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The meters of each job. Created with the first job. If no successful run is known, the job has had none for at least as long as this
 * instance has been running.
 */
record JobMeters(MeterRegistry registry) implements JobObserver {

    @Override
    public void found(String job, Supplier<Optional<Duration>> sinceSuccess, Supplier<Optional<Duration>> sinceDue) {
        long found = registry.config().clock().monotonicTime();
        gauge(
                job,
                "holdfast.job.success.age",
                "Time since the end of the last successful run on any instance",
                () -> sinceSuccess
                        .get()
                        .or(() -> Optional.of(
                                Duration.ofNanos(registry.config().clock().monotonicTime() - found))));
        gauge(job, "holdfast.job.due.age", "Time since the last fire time but one", sinceDue);
    }

    private void gauge(String job, String meter, String description, Supplier<Optional<Duration>> time) {
        Gauge.builder(
                        meter,
                        () -> time.get().map(each -> each.toMillis() / 1000.0).orElse(Double.NaN))
                .description(description)
                .baseUnit("seconds")
                .tag("name", job)
                .register(registry);
    }

    @Override
    public void onEvent(JobEvent event) {
        event.run()
                .end()
                .ifPresent(end -> Timer.builder("holdfast.job")
                        .description("Duration of runs, by outcome")
                        .tags(
                                "name",
                                event.job(),
                                "outcome",
                                event.run().outcome().name().toLowerCase(Locale.ROOT))
                        .register(registry)
                        .record(Duration.between(event.run().start(), end)));
    }
}
