package io.holdfast.lock.spring.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/** Which schedule a job has, and what is wrong with one. */
@ExtendWith(OutputCaptureExtension.class)
class JobDefinitionTest {

    static class TwoCrons {
        @Scheduled(cron = "${app.morning}", zone = "${app.zone}")
        @Scheduled(cron = "0 0 15 * * *", zone = "UTC")
        @OnOneInstance(name = "job")
        public void run() {}
    }

    static class Rate {
        @Scheduled(fixedRateString = "${app.seconds}", timeUnit = TimeUnit.SECONDS, initialDelay = 3)
        @OnOneInstance(name = "job")
        public void run() {}
    }

    static class IsoRate {
        @Scheduled(fixedRateString = "PT5M")
        @OnOneInstance(name = "job")
        public void run() {}
    }

    static class Delay {
        @Scheduled(fixedDelay = 7, timeUnit = TimeUnit.MINUTES)
        @OnOneInstance(name = "job", minHold = "3m")
        public void run() {}
    }

    @Scheduled(cron = "0 30 4 * * *", zone = "UTC")
    @OnOneInstance(name = "job")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Nightly {}

    static class Composed {
        @Nightly
        public void run() {}
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TwoCrons | cron 0 0 3 * * * (Europe/Berlin), cron 0 0 15 * * * (UTC)",
                "Rate     | fixedRate PT1M30S",
                "IsoRate  | fixedRate PT5M",
                "Delay    | fixedDelay PT7M",
                "Composed | cron 0 30 4 * * * (UTC)"
            })
    void schedule_is_read_as_spring_reads_it(String type, String schedule, CapturedOutput output) throws Exception {
        Class<?> job = Class.forName(getClass().getName() + '$' + type);
        Runners.inMemory()
                .withBean(job)
                .withPropertyValues("app.morning=0 0 3 * * *", "app.zone=Europe/Berlin", "app.seconds=90")
                .run(context -> {
                    assertThat(context.getBean(Jobs.class).get("job").schedule())
                            .isEqualTo(schedule);
                    assertThat(output)
                            .contains("Job 'job' (" + type + ".run) runs once for each fire time of its schedule: "
                                    + schedule);
                });
    }

    static class Called {
        @OnOneInstance(name = "job", minHold = "10m")
        public void run() {}
    }

    static class Disabled {
        @Scheduled(cron = "-")
        @OnOneInstance(name = "job", catchUp = "1h")
        public void run() {}
    }

    static class Staged {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job", minHold = "10m")
        public CompletableFuture<String> run() {
            return CompletableFuture.completedFuture("done");
        }
    }

    @ParameterizedTest
    @CsvSource({"Called", "Disabled", "Staged"})
    void method_without_fire_times_is_locked_as_any_other(String type, CapturedOutput output) throws Exception {
        Class<?> job = Class.forName(getClass().getName() + '$' + type);
        Runners.inMemory().withBean(job).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Jobs.class).list()).isEmpty();
            assertThat(output)
                    .contains("Job 'job' (" + type
                            + ".run) runs without fire times: it keeps other instances out for its minHold");
            var unused = job.getMethod("run").invoke(context.getBean(job));
        });
    }

    static class NoSchedule {
        @OnOneInstance(name = "job")
        public void run() {}
    }

    static class NoAttempts {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job", attempts = 0)
        public void run() {}
    }

    static class LongCatchUp {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job", catchUp = "31d")
        public void run() {}
    }

    static class DelayedCatchUp {
        @Scheduled(fixedDelay = 100)
        @OnOneInstance(name = "job", catchUp = "1h")
        public void run() {}
    }

    static class Unitless {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job", retryAfter = "10")
        public void run() {}
    }

    static class NoPlaceholder {
        @Scheduled(cron = "${not.there}")
        @OnOneInstance(name = "job")
        public void run() {}
    }

    static class BadCron {
        @Scheduled(cron = "0 0 25 * * *")
        @OnOneInstance(name = "job")
        public void run() {}
    }

    static class BadZone {
        @Scheduled(cron = "0 0 3 * * *", zone = "Mars/Olympus")
        @OnOneInstance(name = "job")
        public void run() {}
    }

    static class Mixed {
        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(fixedDelay = 100)
        @OnOneInstance(name = "job")
        public void run() {}
    }

    static class CalledWithAttempts {
        @OnOneInstance(name = "job", minHold = "10m", attempts = 2)
        public void run() {}
    }

    static class StagedWithoutMinHold {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job")
        public CompletableFuture<String> run() {
            return CompletableFuture.completedFuture("done");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NoSchedule           | has no @Scheduled, and has no minHold. | put @Scheduled on the method",
                "NoAttempts           | has attempts = 0, which is invalid. | 1 or more",
                "LongCatchUp          | has catchUp = 31 days, but runs are kept for 30 days. | a longer"
                        + " holdfast.jobs.keep",
                "DelayedCatchUp       | has a catchUp, but a fixedDelay has no fire times | Remove catchUp",
                "Unitless             | has retryAfter = \"10\", which is invalid. | text with a unit",
                "NoPlaceholder        | has cron = \"${not.there}\", but a property in it is not set. | Set the"
                        + " property",
                "BadCron              | has a @Scheduled that cannot be read: | Correct the @Scheduled",
                "BadZone              | has a @Scheduled that cannot be read: Unknown time-zone ID: Mars/Olympus. |"
                        + " Correct",
                "Mixed                | has a fixedDelay and another schedule | Use one @Scheduled with a fixedDelay",
                "CalledWithAttempts   | has attempts or catchUp, but no schedule | remove attempts and catchUp",
                "StagedWithoutMinHold | returns before its end, and has no minHold. | return nothing"
            })
    void what_cannot_work_fails_startup(String type, String problem, String action) throws Exception {
        Class<?> job = Class.forName(getClass().getName() + '$' + type);
        Runners.inMemory()
                .withBean(job)
                .run(context -> assertThat(Startup.failureOf(context))
                        .startsWith("@OnOneInstance method " + job.getName() + ".run() " + problem)
                        .contains(action));
    }

    @Test
    void number_of_runs_is_limited() {
        Runners.inMemory()
                .withBean(Called.class)
                .withPropertyValues("holdfast.jobs.history=101")
                .run(context -> assertThat(Startup.failureOf(context)).contains("holdfast.jobs.history", "1 to 100"));
    }
}
