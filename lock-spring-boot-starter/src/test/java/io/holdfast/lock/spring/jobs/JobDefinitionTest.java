package io.holdfast.lock.spring.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.quorum.QuorumNode;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.aop.JobCalls;
import io.holdfast.lock.store.LockStore;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
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

    @Test
    void min_hold_that_fire_times_replace_is_reported(CapturedOutput output) {
        Runners.inMemory()
                .withBean(Delay.class)
                .run(context -> assertThat(output)
                        .contains("(Delay.run) runs once for each fire time of its schedule: fixedDelay PT7M; its"
                                + " minHold has no effect"));
    }

    static class TooRare {
        @Scheduled(fixedDelay = 31, timeUnit = TimeUnit.DAYS)
        @OnOneInstance(name = "job")
        public void run() {}
    }

    interface Nobody {
        @Scheduled(cron = "0 0 3 * * *")
        void run();
    }

    static class Undone implements Nobody {
        @Override
        @OnOneInstance(name = "job", minHold = "10m")
        public void run() {}
    }

    static class Called {
        @OnOneInstance(name = "job", minHold = "10m")
        public void run() {}
    }

    static class Once {
        @Scheduled(initialDelay = 10_000_000)
        @OnOneInstance(name = "job", minHold = "10m")
        public void run() {}
    }

    static class TwoLocks {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job", minHold = "10m")
        @DistributedLock(name = "disk")
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
    @CsvSource({"Called", "Once", "TwoLocks", "Disabled", "Staged", "Undone"})
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

    static class Nightlies {
        private final AtomicInteger calls = new AtomicInteger();

        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job", minHold = "10m")
        public void run() {
            calls.incrementAndGet();
        }
    }

    private static LockStore quorum() {
        List<QuorumNode> nodes = Stream.of("a", "b", "c")
                .map(name -> new QuorumNode(name, new InMemoryLockStore()))
                .toList();
        return new QuorumLockStore(nodes, Duration.ofMinutes(20));
    }

    @Test
    void job_on_a_quorum_keeps_others_out_for_its_min_hold(CapturedOutput output) {
        Runners.starter()
                .withBean(LockStore.class, JobDefinitionTest::quorum)
                .withBean(Nightlies.class)
                .run(context -> {
                    context.getBean(Nightlies.class).run();
                    context.getBean(Nightlies.class).run();

                    assertThat(((Nightlies) JobRegistry.targetOf(context.getBean(Nightlies.class))).calls)
                            .hasValue(1);
                    assertThat(context.getBean(Jobs.class).list()).isEmpty();
                    assertThat(output)
                            .contains("runs without fire times: it keeps other instances out for its minHold");
                });
    }

    @Test
    void job_on_a_quorum_without_a_min_hold_fails_startup() {
        Runners.starter()
                .withBean(LockStore.class, JobDefinitionTest::quorum)
                .withBean(Composed.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                "cannot record its runs in a store without data, as a quorum, or in less than 1KB, so it has"
                                        + " no fire times, and has no minHold.")
                        .contains("on one server or a cluster"));
    }

    static class Other {
        @Scheduled(fixedRate = 1_000)
        @OnOneInstance(name = "job")
        public void run() {}
    }

    @Test
    void two_jobs_of_one_name_fail_startup() {
        Runners.inMemory()
                .withBean(IsoRate.class)
                .withBean(Other.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                "Two scheduled jobs have the name 'job', so each would skip what the other one runs: ")
                        .contains("IsoRate.run()", "Other.run()")
                        .contains("acquire one lock inside both methods"));
    }

    static class North {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job", key = "'north'")
        public void run() {}
    }

    static class South {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job", key = "'south'")
        public void run() {}
    }

    @Test
    void jobs_of_one_name_with_different_keys_are_paused_together() {
        Runners.inMemory().withBean(North.class).withBean(South.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.pause("job");
            assertThat(jobs.list()).extracting(JobStatus::paused).containsExactly(true, true);
            jobs.resume("job");
            assertThat(jobs.list()).extracting(JobStatus::paused).containsExactly(false, false);
        });
    }

    /** Otherwise each request would leave its bean behind. */
    @Test
    void bean_of_a_job_without_fire_times_is_not_kept() {
        Runners.inMemory()
                .withBean("called", Called.class, Called::new, it -> it.setScope(BeanDefinition.SCOPE_PROTOTYPE))
                .run(context -> {
                    WeakReference<Object> target = calledOnce(context.getBean(Called.class));

                    await().atMost(Duration.ofMinutes(1)).until(() -> {
                        System.gc();
                        return target.get() == null;
                    });
                });
    }

    private static WeakReference<Object> calledOnce(Called bean) {
        bean.run();
        return new WeakReference<>(JobRegistry.targetOf(bean));
    }

    @Test
    void job_needs_room_for_the_record_of_a_run() {
        Runners.inMemory()
                .withBean(Composed.class)
                .withPropertyValues("holdfast.max-data-size=1023B")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("or in less than 1KB, so it has no fire times", "a holdfast.max-data-size of 1KB"));
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

    static class Counting {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job")
        public int run() {
            return 1;
        }
    }

    static class CalledWithAttempts {
        @OnOneInstance(name = "job", minHold = "10m", attempts = 2)
        public void run() {}
    }

    static class StagedWithCatchUp {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job", minHold = "10m", catchUp = "1h")
        public CompletableFuture<String> run() {
            return CompletableFuture.completedFuture("done");
        }
    }

    static class OnceWithoutMinHold {
        @Scheduled(initialDelay = 10_000_000)
        @OnOneInstance(name = "job")
        public void run() {}
    }

    static class OnceWithRetry {
        @Scheduled(initialDelay = 10_000_000)
        @OnOneInstance(name = "job", minHold = "10m", retryAfter = "20s")
        public void run() {}
    }

    static class TwoLocksWithoutMinHold {
        @Scheduled(cron = "0 0 3 * * *")
        @OnOneInstance(name = "job")
        @DistributedLock(name = "disk")
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
                "NoSchedule           | has no @Scheduled for repeated runs, so it has no fire times, and has no minHold. | put @Scheduled"
                        + " with cron, fixedRate or fixedDelay on the method",
                "NoAttempts           | has attempts = 0, which is invalid. | 1 or more",
                "LongCatchUp          | has catchUp = 31 days, but runs are kept for 30 days. | a longer"
                        + " holdfast.jobs.keep",
                "Unitless             | has retryAfter = \"10\", which is invalid. | text with a unit",
                "NoPlaceholder        | has cron = \"${not.there}\", but a property in it is not set. | Set the"
                        + " property",
                "BadCron              | has a @Scheduled that cannot be read: | Correct the @Scheduled",
                "BadZone              | has a @Scheduled that cannot be read: Unknown time-zone ID: Mars/Olympus. |"
                        + " Correct",
                "Mixed                | has a fixedDelay and another schedule | Use one @Scheduled with a fixedDelay",
                "CalledWithAttempts   | has no @Scheduled for repeated runs, so it has no fire times, to which attempts, retryAfter and"
                        + " catchUp apply. | none of attempts, retryAfter and catchUp",
                "StagedWithCatchUp    | returns before its end, so it has no fire times, to which | which returns nothing",
                "StagedWithoutMinHold | returns before its end, so it has no fire times, and has no minHold. | which"
                        + " returns nothing",
                "OnceWithoutMinHold   | has no @Scheduled for repeated runs, so it has no fire times, and has no | minHold",
                "OnceWithRetry        | has no @Scheduled for repeated runs, so it has no fire times, to which | none of",
                "TooRare              | has a fixedDelay PT744H, but runs are kept for 30 days. | a longer"
                        + " holdfast.jobs.keep",
                "Counting             | has onContention = SKIP, but returns int, so a skipped call has no value to"
                        + " return. | Return a type that can be empty or null",
                "TwoLocksWithoutMinHold | has several lock annotations, so it has no fire times, and has | no other lock"
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
    void mock_in_place_of_the_jobs_has_no_rules() {
        assertThat(JobCalls.in(new StaticListableBeanFactory(Map.of(JobCalls.BEAN, new Object()))))
                .isEmpty();
    }

    @Test
    void number_of_runs_is_limited() {
        Runners.inMemory()
                .withBean(Called.class)
                .withPropertyValues("holdfast.jobs.history=101")
                .run(context -> assertThat(Startup.failureOf(context)).contains("holdfast.jobs.history", "1 to 100"));
    }

    static class Locked {
        @DistributedLock(name = "disk")
        public void run() {}
    }

    @Test
    void nothing_is_created_where_no_job_exists() {
        Runners.inMemory().withBean(Locked.class).run(context -> {
            context.getBean(Locked.class).run();
            assertThat(context.getBeanFactory().containsSingleton("holdfastJobs"))
                    .isFalse();
        });
        Runners.inMemory()
                .withBean(Delay.class)
                .run(context -> assertThat(context.getBeanFactory().containsSingleton("holdfastJobs"))
                        .isTrue());
    }
}
