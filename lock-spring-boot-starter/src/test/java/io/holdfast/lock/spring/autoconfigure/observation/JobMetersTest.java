package io.holdfast.lock.spring.autoconfigure.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.jobs.JobEvent;
import io.holdfast.lock.spring.jobs.JobRun;
import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class JobMetersTest {

    private static final Instant START = Instant.parse("2026-11-29T03:00:00Z");

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final JobMeters meters = new JobMeters(registry);

    private double gauge(String meter) {
        return registry.get(meter).tag("name", "report").gauge().value();
    }

    @Test
    void job_that_has_never_succeeded_has_not_since_the_instance_found_it() {
        AtomicReference<Optional<Duration>> sinceSuccess = new AtomicReference<>(Optional.empty());
        clock.add(Duration.ofSeconds(30));
        meters.found("report", sinceSuccess::get, Optional::empty);
        clock.add(Duration.ofSeconds(90));

        assertThat(gauge("holdfast.job.success.age")).isEqualTo(90);
        sinceSuccess.set(Optional.of(Duration.ofMillis(1_500)));
        assertThat(gauge("holdfast.job.success.age")).isEqualTo(1.5);
    }

    @Test
    void fire_time_that_should_have_succeeded_is_that_of_the_schedule() {
        AtomicReference<Optional<Duration>> sinceDue = new AtomicReference<>(Optional.of(Duration.ofMinutes(5)));
        meters.found("report", Optional::empty, sinceDue::get);

        assertThat(gauge("holdfast.job.due.age")).isEqualTo(300);
        sinceDue.set(Optional.empty());
        assertThat(gauge("holdfast.job.due.age")).isNaN();
    }

    @Test
    void gauges_show_the_longest_time_of_the_keys_of_a_job() {
        AtomicReference<Optional<Duration>> south = new AtomicReference<>(Optional.of(Duration.ofMinutes(9)));
        meters.found("report", () -> Optional.of(Duration.ofMinutes(5)), () -> Optional.of(Duration.ofMinutes(7)));
        meters.found("report", south::get, Optional::empty);

        assertThat(gauge("holdfast.job.success.age")).isEqualTo(540);
        assertThat(gauge("holdfast.job.due.age")).isEqualTo(420);
        south.set(Optional.of(Duration.ofMinutes(1)));
        assertThat(gauge("holdfast.job.success.age")).isEqualTo(300);
    }

    @Test
    void runs_are_timed_by_their_outcome_when_they_end() {
        meters.onEvent(new JobEvent("report", run(Outcome.RUNNING, Optional.empty())));
        meters.onEvent(new JobEvent("report", run(Outcome.FAILED, Optional.of(START.plusSeconds(7)))));

        Timer timer = registry.get("holdfast.job").tags("name", "report").timer();
        assertThat(timer.getId().getTag("outcome")).isEqualTo("failed");
        assertThat(timer.totalTime(TimeUnit.SECONDS)).isEqualTo(7);
        assertThat(timer.count()).isOne();
    }

    private static JobRun run(Outcome outcome, Optional<Instant> end) {
        return new JobRun(START, 1, outcome, START, end, 1, "1@shop", Optional.empty());
    }
}
