package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.spring.jobs.JobEvent;
import io.holdfast.lock.spring.jobs.JobObserver;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * The meters of each job. Created with the first job. If no successful run is known, the job has had none for at least as long as this
 * instance has been running. Of several jobs of one name, which have different keys, the gauges show the longest time.
 */
final class JobMeters implements JobObserver {

    private final MeterRegistry registry;
    /** By meter and name. */
    private final Map<String, List<Supplier<Optional<Duration>>>> times = new ConcurrentHashMap<>();

    JobMeters(MeterRegistry registry) {
        this.registry = registry;
    }

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
        times.computeIfAbsent(meter + ' ' + job, id -> {
                    List<Supplier<Optional<Duration>>> all = new CopyOnWriteArrayList<>();
                    Gauge.builder(meter, () -> longest(all))
                            .description(description)
                            .baseUnit("seconds")
                            .tag("name", job)
                            .register(registry);
                    return all;
                })
                .add(time);
    }

    private static double longest(List<Supplier<Optional<Duration>>> times) {
        return times.stream()
                .flatMap(each -> each.get().stream())
                .max(Comparator.naturalOrder())
                .map(time -> time.toMillis() / 1000.0)
                .orElse(Double.NaN);
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
