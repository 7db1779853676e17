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

/** The meters of each job. Created with the first job. */
record JobMeters(MeterRegistry registry) implements JobObserver {

    @Override
    public void found(String job, Supplier<Optional<Duration>> sinceSuccess) {
        Gauge.builder(
                        "holdfast.job.success.age",
                        () -> sinceSuccess
                                .get()
                                .map(Duration::toMillis)
                                .map(millis -> millis / 1000.0)
                                .orElse(Double.NaN))
                .description("Time since the end of the last successful run on any instance")
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
