package io.holdfast.lock.spring.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockAssert;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.LockRequestCustomizer;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import io.holdfast.lock.testing.CountingProxy;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.threads.Uninterrupted;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.annotation.Scheduled;

/** Jobs on several instances, on a real Redis. Fire times are in the past, where clocks are set; leases pass for real. */
@ExtendWith(OutputCaptureExtension.class)
class JobsTest {

    private static final List<JobRun> RAN = new CopyOnWriteArrayList<>();
    private static final AtomicInteger FAILURES = new AtomicInteger();
    private static final List<Object> SERVING = new CopyOnWriteArrayList<>();

    @BeforeEach
    void nothingHasRun() {
        RAN.clear();
        SERVING.clear();
        FAILURES.set(0);
    }

    private static void work() {
        RAN.add(Jobs.currentRun().orElseThrow());
        if (FAILURES.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IllegalStateException("no disk\nat all");
        }
    }

    private static JobStatus report(AssertableApplicationContext context) {
        return context.getBean(Jobs.class).get("report");
    }

    /** A run whose instance has died: its lock expires. */
    private static void dead(AssertableApplicationContext context, String fireTime) {
        JobRun run = new JobRun(
                Instant.parse(fireTime),
                1,
                Outcome.RUNNING,
                Instant.now(),
                Optional.empty(),
                1,
                "dead",
                Optional.empty());
        LockHandle lock = context.getBean(LockTemplate.class)
                .acquire(LockRequest.of("report")
                        .lease(Duration.ofSeconds(3))
                        .renew(false)
                        .withData(Duration.ofDays(1)))
                .detach();
        lock.saveData(JobState.NONE.begin(run, Optional.empty(), 20).encode(32_768));
    }

    static class Hourly {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report")
        public void report() {
            LockAssert.assertLocked("report");
            assertThat(LockContext.current().orElseThrow().fencingToken())
                    .isEqualTo(Jobs.currentRun().orElseThrow().fencingToken());
            work();
        }
    }

    @Test
    void fire_time_is_run_once_although_clocks_differ() {
        Instance first = Instance.onRedis(Hourly.class);
        Instance second = Instance.onRedis(Hourly.class);
        first.run(a -> second.run(b -> {
            first.clock.set("2026-03-01T03:00:00Z");
            second.clock.set("2026-03-01T03:00:04Z");
            b.getBean(Hourly.class).report();
            a.getBean(Hourly.class).report();
            a.getBean(Hourly.class).report();
            assertThat(RAN).extracting(JobRun::fireTime).containsExactly(Instant.parse("2026-03-01T03:00:00Z"));

            first.clock.set("2026-03-01T04:00:10Z");
            second.clock.set("2026-03-01T03:59:50Z"); // slow: its own 4 o'clock is to come
            a.getBean(Hourly.class).report();
            b.getBean(Hourly.class).report();
            second.clock.set("2026-03-01T04:00:00Z");
            b.getBean(Hourly.class).report();
            assertThat(RAN)
                    .extracting(JobRun::fireTime)
                    .containsExactly(Instant.parse("2026-03-01T03:00:00Z"), Instant.parse("2026-03-01T04:00:00Z"));
        }));
    }

    static class Recorded {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }
    }

    @Test
    void runs_are_recorded_for_all_instances() {
        Instance first = Instance.onRedis(Recorded.class, "holdfast.jobs.history=2");
        Instance second = Instance.onRedis(Recorded.class);
        first.run(a -> second.run(b -> {
            for (int hour = 3; hour <= 5; hour++) {
                first.clock.set("2026-03-01T0" + hour + ":00:00Z");
                FAILURES.set(hour == 5 ? 1 : 0);
                try {
                    a.getBean(Recorded.class).report();
                } catch (IllegalStateException e) {
                    assertThat(e).hasMessageStartingWith("no disk");
                }
            }
            second.clock.set("2026-03-01T05:00:00Z");

            JobStatus status = report(b);

            assertThat(status.schedule()).isEqualTo("cron 0 0 * * * * (UTC)");
            assertThat(status.method()).isEqualTo("Recorded.report");
            assertThat(status.nextFireTime()).contains(Instant.parse("2026-03-01T06:00:00Z"));
            assertThat(status.runs()).hasSize(2);
            JobRun last = status.runs().get(0);
            assertThat(last.fireTime()).isEqualTo("2026-03-01T05:00:00Z");
            assertThat(last.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(last.failure()).contains("IllegalStateException: no disk");
            assertThat(last.attempt()).isEqualTo(1);
            assertThat(last.end().orElseThrow()).isAfterOrEqualTo(last.start());
            assertThat(last.instance()).contains(ProcessHandle.current().pid() + "@");
            assertThat(status.runs().get(1).outcome()).isEqualTo(Outcome.SUCCEEDED);
            assertThat(status.runs().get(1).fencingToken()).isLessThan(last.fencingToken());
            assertThat(Duration.between(last.start(), Instant.now()).abs()).isLessThan(Duration.ofMinutes(5));
            assertThat(first.events)
                    .extracting(event -> event.run().outcome())
                    .containsExactly(
                            Outcome.RUNNING,
                            Outcome.SUCCEEDED,
                            Outcome.RUNNING,
                            Outcome.SUCCEEDED,
                            Outcome.RUNNING,
                            Outcome.FAILED);
            b.getBean(Recorded.class).report();
            assertThat(RAN).as("a failure is final by default").hasSize(3);
        }));
    }

    static class Counted {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }
    }

    @Test
    void call_that_finds_its_fire_time_taken_is_one_call_to_redis() {
        try (CountingProxy redis = new CountingProxy(TestRedis.shared().port())) {
            Instance first = new Instance(
                    Runners.redis(redis.port()).withPropertyValues("holdfast.redis.key-prefix=Counted"), Counted.class);
            first.run(a -> {
                first.clock.set("2026-03-01T03:00:00Z");
                a.getBean(Counted.class).report();
                long before = afterTheStart(redis);

                for (int i = 0; i < 10; i++) {
                    a.getBean(Counted.class).report();
                }

                assertThat(redis.total() - before).isEqualTo(10);
                assertThat(RAN).hasSize(1);
            });
        }
    }

    /** What the instance reads and connects for by itself is over. */
    private static long afterTheStart(CountingProxy redis) {
        AtomicLong last = new AtomicLong(-1);
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> last.getAndSet(redis.total()) == last.get());
        return last.get();
    }

    static class Keyed {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", key = "@region")
        public void report() {
            work();
        }
    }

    private static Instance keyed(String region, String time) {
        Instance instance = new Instance(
                Runners.redis()
                        .withBean("region", String.class, () -> region)
                        .withPropertyValues("holdfast.redis.key-prefix=Keyed"),
                Keyed.class);
        instance.clock.set(time);
        return instance;
    }

    @Test
    void each_key_is_a_job_with_its_own_runs_and_the_pause_is_that_of_all() {
        for (String region : List.of("north", "south", "north")) {
            keyed(region, "2026-03-01T03:00:00Z").run(a -> {
                a.getBean(Keyed.class).report();
                assertThat(report(a).runs()).hasSize(1);
            });
        }
        assertThat(RAN).hasSize(2);

        keyed("north", "2026-03-01T03:30:00Z").run(a -> a.getBean(Jobs.class).pause("report"));
        keyed("south", "2026-03-01T04:00:00Z").run(a -> {
            a.getBean(Keyed.class).report();
            assertThat(report(a).paused()).isTrue();
            assertThat(report(a).runs()).extracting(JobRun::outcome).startsWith(Outcome.SKIPPED);
        });
        assertThat(RAN).hasSize(2);
    }

    static class Racing {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }
    }

    /** All have read the state before the first of them holds the lock, or else find it held. */
    @Test
    void calls_at_the_same_time_are_one_run() {
        Instance first = Instance.onRedis(Racing.class);
        first.run(a -> {
            Instant start = Instant.parse("2026-03-01T00:00:00Z");
            for (int hour = 0; hour < 50; hour++) {
                first.clock.set(start.plus(Duration.ofHours(hour)).toString());
                List<CompletableFuture<Void>> calls = Stream.generate(() -> CompletableFuture.runAsync(
                                a.getBean(Racing.class)::report, task -> new Thread(task).start()))
                        .limit(4)
                        .toList();
                calls.forEach(CompletableFuture::join);
            }
            assertThat(RAN).extracting(JobRun::fireTime).doesNotHaveDuplicates().hasSize(50);
        });
    }

    static class Repeated {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", attempts = 3, retryAfter = "100ms", lease = "2s")
        public void report() {
            work();
        }
    }

    @Test
    void failed_run_is_repeated_until_it_succeeds() {
        Instance first = Instance.onRedis(Repeated.class);
        first.run(a -> {
            first.clock.set("2026-03-01T03:00:00Z");
            FAILURES.set(2);
            try {
                a.getBean(Repeated.class).report();
            } catch (IllegalStateException e) {
                assertThat(e).hasMessageStartingWith("no disk");
            }
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(report(a).runs())
                            .extracting(JobRun::outcome)
                            .containsExactly(Outcome.SUCCEEDED, Outcome.FAILED, Outcome.FAILED));
            assertThat(RAN).extracting(JobRun::attempt).containsExactly(1, 2, 3);
            List<JobRun> runs = report(a).runs();
            assertThat(Duration.between(
                            runs.get(1).end().orElseThrow(), runs.get(0).start()))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(99));
        });
    }

    static class Late {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", attempts = 2, retryAfter = "100ms", lease = "2s")
        public void report() {
            work();
        }
    }

    @Test
    void job_of_a_bean_that_is_registered_while_the_application_runs_is_called_by_this_instance_as_well() {
        Instance instance = Instance.onRedis(Object.class);
        instance.run(context -> {
            instance.clock.set("2026-03-01T03:00:00Z");
            FAILURES.set(1);
            ((GenericApplicationContext) context.getSourceApplicationContext()).registerBean(Late.class);
            assertThatIllegalStateException()
                    .isThrownBy(() -> context.getBean(Late.class).report());
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(
                            () -> assertThat(RAN).extracting(JobRun::attempt).containsExactly(1, 2));
        });
    }

    static class Scoped {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", attempts = 2, retryAfter = "100ms", lease = "2s")
        public void report() {
            SERVING.add(this);
            work();
        }
    }

    @Test
    void bean_that_replaces_another_gets_its_calls_and_is_the_same_job() {
        Instance instance = Instance.onRedis(Object.class, "holdfast.redis.key-prefix=Scoped");
        instance.run(context -> {
            instance.clock.set("2026-03-01T03:00:00Z");
            GenericApplicationContext beans = (GenericApplicationContext) context.getSourceApplicationContext();
            beans.registerBean(Scoped.class, definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE));
            beans.getBean(Scoped.class).report();
            Scoped present = beans.getBean(Scoped.class);
            instance.clock.set("2026-03-01T04:00:00Z");
            FAILURES.set(1);
            assertThatIllegalStateException().isThrownBy(present::report);

            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(
                            () -> assertThat(RAN).extracting(JobRun::attempt).containsExactly(1, 1, 2));
            assertThat(context.getBean(Jobs.class).list()).hasSize(1);
            assertThat(SERVING).hasSize(3);
            assertThat(SERVING.get(2)).isSameAs(SERVING.get(1)).isNotSameAs(SERVING.get(0));
        });
    }

    static class CalledAtTheEnd {

        @DistributedLock(name = "early")
        public void early() {}

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }
    }

    static class Caller implements InitializingBean, DisposableBean {

        @Autowired
        @Nullable
        CalledAtTheEnd job;

        /** So interceptor and template exist before the rules of jobs, which would be destroyed first. */
        @Override
        public void afterPropertiesSet() {
            Objects.requireNonNull(job).early();
        }

        @Override
        public void destroy() {
            try {
                Objects.requireNonNull(job).report();
                SERVING.add("skipped");
            } catch (RuntimeException e) {
                SERVING.add(e);
            }
        }
    }

    @Test
    void call_while_beans_are_destroyed_is_skipped() {
        Instance instance = Instance.onRedis(CalledAtTheEnd.class).with(Caller.class, Caller::new);
        instance.clock.set("2026-03-01T03:00:00Z");
        instance.run(context -> {});

        assertThat(SERVING).containsExactly("skipped");
        assertThat(RAN).isEmpty();
    }

    static class OfTenant {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }
    }

    @Test
    void request_customizers_apply_to_what_an_instance_does_by_itself() {
        LockRequestCustomizer tenant = (request, method) -> request.mapKeys(key -> "north:" + key);
        Instance first = Instance.onRedis(OfTenant.class).with(LockRequestCustomizer.class, () -> tenant);
        Instance second = Instance.onRedis(OfTenant.class).with(LockRequestCustomizer.class, () -> tenant);
        first.clock.set("2026-03-01T03:00:00Z");
        second.clock.set("2026-03-01T03:00:00Z");
        first.run(a -> {
            a.getBean(OfTenant.class).report();
            second.run(b -> assertThat(report(b).runs()).hasSize(1)); // before it was called
        });
    }

    static class TakenOver {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", lease = "3s")
        public void report() {
            work();
        }
    }

    @Test
    void run_of_a_dead_instance_is_begun_again_by_one_that_was_called_for_it() {
        Instance first = Instance.onRedis(TakenOver.class);
        first.run(a -> {
            first.clock.set("2026-03-01T03:00:00Z");
            dead(a, "2026-03-01T03:00:00Z");

            a.getBean(TakenOver.class).report();

            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(report(a).runs())
                            .extracting(JobRun::outcome)
                            .containsExactly(Outcome.SUCCEEDED, Outcome.LOST));
            assertThat(RAN).extracting(JobRun::attempt).containsExactly(2);
            List<JobRun> runs = report(a).runs();
            assertThat(runs.get(1).instance()).isEqualTo("dead");
            assertThat(runs.get(1).fencingToken()).isEqualTo(1);
            assertThat(runs.get(0).fencingToken()).isGreaterThan(1);
            assertThat(first.events.get(0).run()).isEqualTo(runs.get(1));
            assertThat(runs.get(0).start())
                    .as("not while the lock is held")
                    .isAfterOrEqualTo(runs.get(1).start().plusMillis(2_990));
            await().untilAsserted(() -> assertThat(first.events)
                    .extracting(event -> event.run().outcome())
                    .containsExactly(Outcome.LOST, Outcome.RUNNING, Outcome.SUCCEEDED));
        });
    }

    static class Distant {

        @Scheduled(fixedRateString = "PT1H")
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }
    }

    @Test
    void clock_that_is_far_ahead_claims_nothing() {
        Instance first = Instance.onRedis(Distant.class);
        first.run(a -> {
            first.clock.add(Duration.ofHours(2));
            a.getBean(Distant.class).report();
            assertThat(RAN).isEmpty();
            assertThat(report(a).runs()).isEmpty();

            first.clock.add(Duration.ofHours(-2));
            a.getBean(Distant.class).report();
            assertThat(RAN).hasSize(1);
        });
    }

    static class Paused {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }
    }

    @Test
    void paused_job_is_skipped_on_all_instances_until_it_is_resumed() {
        Instance first = Instance.onRedis(Paused.class);
        Instance second = Instance.onRedis(Paused.class);
        first.run(a -> second.run(b -> {
            a.getBean(Jobs.class).pause("report");
            second.clock.set("2026-03-01T03:00:00Z");
            b.getBean(Paused.class).report();
            assertThat(RAN).isEmpty();
            assertThat(report(a).paused()).isTrue();
            assertThat(report(a).runs()).extracting(JobRun::outcome).containsExactly(Outcome.SKIPPED);

            b.getBean(Jobs.class).resume("report");
            b.getBean(Paused.class).report();
            assertThat(RAN).as("this fire time was skipped").isEmpty();
            second.clock.set("2026-03-01T04:00:00Z");
            b.getBean(Paused.class).report();
            assertThat(RAN).hasSize(1);
            assertThat(report(a).paused()).isFalse();
        }));
    }

    static class PausedDead {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", lease = "3s")
        public void report() {
            work();
        }
    }

    @Test
    void run_that_died_is_skipped_while_its_job_is_paused() {
        Instance first = Instance.onRedis(PausedDead.class);
        first.run(a -> {
            first.clock.set("2026-03-01T03:00:00Z");
            dead(a, "2026-03-01T03:00:00Z");
            a.getBean(Jobs.class).pause("report");

            a.getBean(PausedDead.class).report();

            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(report(a).runs())
                            .extracting(JobRun::outcome)
                            .containsExactly(Outcome.SKIPPED, Outcome.LOST));
            a.getBean(Jobs.class).resume("report");
            a.getBean(PausedDead.class).report();
            assertThat(RAN).isEmpty();
        });
    }

    static class CaughtUp {

        @Scheduled(cron = "0 0 3 * * *", zone = "UTC")
        @OnOneInstance(name = "report", catchUp = "6h")
        public void report() {
            work();
        }
    }

    @Test
    void instance_that_starts_catches_up_once_with_what_nobody_has_run() {
        Instance late = Instance.onRedis(CaughtUp.class);
        late.clock.set("2026-03-01T09:00:00Z");
        late.run(a -> assertThat(report(a).runs()).as("six hours ago").isEmpty());

        Instance first = Instance.onRedis(CaughtUp.class);
        Instance second = Instance.onRedis(CaughtUp.class);
        first.clock.set("2026-03-01T08:59:59Z");
        second.clock.set("2026-03-01T08:59:59Z");
        first.run(a -> {
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(report(a).runs())
                            .extracting(JobRun::outcome)
                            .containsExactly(Outcome.SUCCEEDED));
            assertThat(RAN).extracting(JobRun::fireTime).containsExactly(Instant.parse("2026-03-01T03:00:00Z"));
            second.run(b -> {
                b.getBean(CaughtUp.class).report();
                assertThat(RAN).hasSize(1);
            });
        });
    }

    static class Delayed {

        @Scheduled(fixedDelay = 1_000)
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }
    }

    @Test
    void delay_counts_from_the_end_of_the_last_run_on_any_instance() {
        Instance first = Instance.onRedis(Delayed.class);
        Instance second = Instance.onRedis(Delayed.class);
        first.run(a -> second.run(b -> {
            a.getBean(Delayed.class).report();
            b.getBean(Delayed.class).report();
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(report(a).runs()).hasSizeGreaterThan(3));
            List<JobRun> runs = report(b).runs();
            for (int i = 1; i < runs.size(); i++) {
                assertThat(runs.get(i - 1).start())
                        .isAfterOrEqualTo(runs.get(i).end().orElseThrow().plusMillis(999));
            }
        }));
    }

    static class DelayedCatchUp {

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS, initialDelay = 1)
        @OnOneInstance(name = "report", catchUp = "6h")
        public void report() {
            work();
        }
    }

    @Test
    void instance_that_starts_catches_up_with_a_delay_that_is_over() {
        Instance first = Instance.onRedis(DelayedCatchUp.class);
        Instance second = Instance.onRedis(DelayedCatchUp.class);
        first.run(a -> {
            await().atMost(Duration.ofMinutes(1)).until(() -> RAN.size() == 1);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> report(a).runs().get(0).outcome() == Outcome.SUCCEEDED);
            second.run(b -> await().during(Duration.ofMillis(500))
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(RAN).hasSize(1)));
        });
    }

    static class Foreign {

        @Scheduled(cron = "0 0 * * * *")
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }

        @Scheduled(cron = "0 0 * * * *")
        @OnOneInstance(name = "export")
        public void export() {
            work();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cursor 7", "holdfast-job 1", "holdfast-job 1\t\n1\t2", "holdfast-job 2\t"})
    void data_of_something_else_is_said_and_not_overwritten(String data) {
        Instance first = Instance.onRedis(Foreign.class);
        first.run(a -> {
            byte[] foreign = data.getBytes(StandardCharsets.UTF_8);
            LockTemplate locks = a.getBean(LockTemplate.class);
            locks.execute(
                    LockRequest.of("report").withData(Duration.ofMinutes(10)),
                    (LockHandle lock) -> lock.saveData(foreign));

            assertThatIllegalStateException()
                    .isThrownBy(() -> a.getBean(Foreign.class).report())
                    .withMessageContaining("is not that of a job")
                    .withMessageContaining("Give the job a name that nothing else uses");
            assertThat(locks.data("report").bytes()).contains(foreign);
            Jobs jobs = a.getBean(Jobs.class);
            assertThatIllegalStateException()
                    .isThrownBy(jobs::list)
                    .withMessageContaining("The data of the lock of job 'report'");
            assertThat(jobs.get("export").runs()).isEmpty();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> jobs.pause("import"))
                    .withMessage("There is no job 'import' with a schedule. Known jobs: [export, report]");
        });
    }

    static class Resumed {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", lease = "3s")
        public void report() {
            work();
        }
    }

    @Test
    void run_that_died_is_begun_again_by_an_instance_that_starts_later() {
        Instance first = Instance.withoutScheduler(Resumed.class);
        Instance second = Instance.onRedis(Resumed.class);
        first.clock.set("2026-03-01T03:00:00Z");
        second.clock.set("2026-03-01T03:01:00Z");
        first.run(a -> {
            dead(a, "2026-03-01T03:00:00Z");
            second.run(b -> await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(report(b).runs())
                            .extracting(JobRun::outcome)
                            .containsExactly(Outcome.SUCCEEDED, Outcome.LOST)));
            assertThat(RAN).extracting(JobRun::attempt).containsExactly(2);
        });
    }

    static class Unclaimed {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", lease = "1s")
        public void report() {
            work();
        }
    }

    @Test
    void instance_that_starts_without_catch_up_claims_no_fire_time() {
        Instance first = Instance.onRedis(Unclaimed.class);
        first.clock.set("2026-03-01T03:00:00Z");
        first.run(a -> a.getBean(Unclaimed.class).report());
        first.clock.set("2026-03-01T05:00:01Z");
        first.run(a -> {
            await().during(Duration.ofMillis(500))
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(RAN).hasSize(1));
            a.getBean(Unclaimed.class).report();
            assertThat(RAN).hasSize(2);
        });
    }

    static class Unscheduled {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", lease = "3s", catchUp = "6h")
        public void report() {
            work();
        }
    }

    @Test
    void instance_without_a_scheduler_calls_no_job_by_itself_and_says_so(CapturedOutput output) {
        Instance first = Instance.withoutScheduler(Unscheduled.class);
        first.clock.set("2026-03-01T03:00:00Z");
        first.run(a -> {
            dead(a, "2026-03-01T03:00:00Z");
            a.getBean(Unscheduled.class).report();
            await().during(Duration.ofSeconds(4))
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(RAN).isEmpty());
            assertThat(output)
                    .contains(
                            "WARN",
                            "This instance has no scheduler, so it calls no job by itself. Add @EnableScheduling");
            a.getBean(Unscheduled.class).report();
            assertThat(RAN).extracting(JobRun::attempt).containsExactly(2);
        });
    }

    static class Losing {

        @Autowired
        @Nullable
        LockTemplate locks;

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", lease = "1s")
        public void report() {
            work();
            if (RAN.size() == 1) {
                var unused = Objects.requireNonNull(locks).forceRelease("report");
            }
        }
    }

    @Test
    void run_whose_lock_was_lost_is_begun_again_also_by_the_only_instance() {
        Instance first = Instance.onRedis(Losing.class);
        first.run(a -> {
            first.clock.set("2026-03-01T03:00:00Z");
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> a.getBean(Losing.class).report());

            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(report(a).runs())
                            .extracting(JobRun::outcome)
                            .containsExactly(Outcome.SUCCEEDED, Outcome.LOST));
            assertThat(RAN).extracting(JobRun::attempt).containsExactly(1, 2);
        });
    }

    static class Full {

        @Autowired
        @Nullable
        RedisConnectionFactory redis;

        void allow(String bytes) {
            try (RedisConnection connection = Objects.requireNonNull(redis).getConnection()) {
                connection.serverCommands().setConfig("maxmemory", bytes);
            }
        }

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", lease = "3s")
        public void report() {
            work();
            if (RAN.size() == 1) {
                allow("1");
            }
        }
    }

    /** Renewals succeed, so the run would otherwise never end. */
    @Test
    void run_whose_end_cannot_be_saved_ends_after_a_lease_and_is_begun_again(CapturedOutput output) {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            Instance first = new Instance(Runners.redis(redis.port()), Full.class).withScheduler();
            first.run(a -> {
                first.clock.set("2026-03-01T03:00:00Z");
                Full job = (Full) JobRegistry.targetOf(a.getBean(Full.class));
                a.getBean(Full.class).report();

                assertThat(output)
                        .contains("The end of a run of job 'report' cannot be saved, so it may run again for"
                                + " 2026-03-01T03:00:00Z: ");
                job.allow("0");
                await().atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> assertThat(report(a).runs())
                                .extracting(JobRun::outcome)
                                .containsExactly(Outcome.SUCCEEDED, Outcome.LOST));
            });
        }
    }

    static class Small {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }
    }

    @Test
    void history_is_shorter_where_less_data_is_allowed() {
        Instance first = Instance.onRedis(Small.class, "holdfast.max-data-size=1KB");
        first.run(a -> {
            Instant start = Instant.parse("2026-03-01T00:00:00Z");
            for (int hour = 0; hour < 15; hour++) {
                first.clock.set(start.plus(Duration.ofHours(hour)).toString());
                a.getBean(Small.class).report();
            }
            assertThat(RAN).hasSize(15);
            assertThat(report(a).runs()).hasSizeBetween(2, 14);
            assertThat(report(a).runs().get(0).fireTime()).isEqualTo("2026-03-01T14:00:00Z");
        });
    }

    static class Verbose {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report")
        public void report() {
            throw new IllegalStateException("no disk, no space, no luck. ".repeat(20));
        }
    }

    @Test
    void history_makes_room_for_the_message_of_a_failure() {
        Instance first = Instance.withoutScheduler(Verbose.class, "holdfast.max-data-size=1KB");
        first.run(a -> {
            Instant start = Instant.parse("2026-03-01T00:00:00Z");
            for (int hour = 0; hour < 8; hour++) {
                first.clock.set(start.plus(Duration.ofHours(hour)).toString());
                assertThatIllegalStateException()
                        .isThrownBy(() -> a.getBean(Verbose.class).report());
                JobRun newest = report(a).runs().get(0);
                assertThat(newest.outcome()).isEqualTo(Outcome.FAILED);
                assertThat(newest.failure().orElseThrow()).startsWith("IllegalStateException: no disk");
            }
        });
    }

    /** Around everything else, as other advice may be. */
    private static Advisor slowEnd() {
        MethodInterceptor slow = call -> {
            Object result = call.proceed();
            Thread.sleep(300);
            return result;
        };
        DefaultPointcutAdvisor advisor =
                new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, OnOneInstance.class, true), slow);
        advisor.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return advisor;
    }

    static class Slow {

        @Scheduled(fixedDelay = 50)
        @OnOneInstance(name = "report")
        public void report() {
            work();
        }
    }

    @Test
    void call_that_comes_due_before_the_last_one_has_returned_follows_it() {
        Instance first = new Instance(
                        Runners.redis()
                                .withPropertyValues("holdfast.redis.key-prefix=Slow")
                                .withBean(
                                        "slowEnd",
                                        Advisor.class,
                                        JobsTest::slowEnd,
                                        definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE)),
                        Slow.class)
                .withScheduler();
        first.run(a -> {
            a.getBean(Slow.class).report();

            await().atMost(Duration.ofMinutes(1)).until(() -> RAN.size() > 3);
        });
    }

    static class Broken {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", attempts = 2, retryAfter = "0s", lease = "1s")
        public void report() {
            work();
            throw new LockStoreException("the job's own lock failed", null, false);
        }
    }

    @Test
    void exception_of_a_job_that_this_instance_calls_by_itself_is_logged_as_an_error(CapturedOutput output) {
        Instance first = Instance.onRedis(Broken.class);
        first.run(a -> {
            first.clock.set("2026-03-01T03:00:00Z");
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> a.getBean(Broken.class).report());

            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(output).contains("Unexpected error in job 'report'"));
            assertThat(RAN).extracting(JobRun::attempt).containsExactly(1, 2);
        });
    }

    static class Nested {

        @Autowired
        @Lazy
        @Nullable
        Nested self;

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "report", lease = "3s")
        public void report() {
            work();
            JobRun run = Jobs.currentRun().orElseThrow();
            await().until(() -> Instant.now().isAfter(run.start().plusMillis(3_100)));
            if (RAN.size() == 1) {
                Objects.requireNonNull(self).report();
            }
        }
    }

    @Test
    void call_from_inside_a_run_is_skipped_however_long_the_run_has_lasted() {
        Instance first = Instance.withoutScheduler(Nested.class);
        first.run(a -> {
            first.clock.set("2026-03-01T03:00:00Z");
            a.getBean(Nested.class).report();

            assertThat(RAN).extracting(JobRun::attempt).containsExactly(1);
            assertThat(report(a).runs()).extracting(JobRun::outcome).containsExactly(Outcome.SUCCEEDED);
        });
    }

    static class Excluding {

        private static final List<String> WRITTEN = new CopyOnWriteArrayList<>();

        @Autowired
        @Nullable
        LockTemplate locks;

        @Autowired
        @Nullable
        Jobs jobs;

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "write")
        public void write() {
            disk(() -> {
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> Objects.requireNonNull(jobs)
                                        .get("delete")
                                        .runs()
                                        .size()
                                == 1);
                WRITTEN.add("written");
            });
        }

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @OnOneInstance(name = "delete")
        public void delete() {
            disk(() -> WRITTEN.add("deleted"));
        }

        private void disk(Runnable work) {
            Objects.requireNonNull(locks)
                    .execute(LockRequest.of("disk").waitFor(Duration.ofMinutes(1)), (LockHandle lock) -> work.run());
        }
    }

    @Test
    void jobs_with_a_common_lock_inside_run_one_after_the_other() {
        Instance first = Instance.onRedis(Excluding.class);
        first.run(a -> {
            first.clock.set("2026-03-01T03:00:00Z");
            Excluding bean = a.getBean(Excluding.class);
            CompletableFuture<Void> writing = CompletableFuture.runAsync(bean::write, task -> new Thread(task).start());
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> a.getBean(LockTemplate.class).inspect("disk").isHeld());
            bean.delete();
            writing.join();

            assertThat(Excluding.WRITTEN).containsExactly("written", "deleted");
            assertThat(a.getBean(Jobs.class).list())
                    .allSatisfy(job -> assertThat(job.runs().get(0).outcome()).isEqualTo(Outcome.SUCCEEDED));
        });
    }

    @Test
    void nothing_is_called_once_the_context_is_closing(CapturedOutput output) {
        Instance first = Instance.onRedis(Recorded.class);
        first.run(a -> {
            JobRegistry registry = a.getBean(JobRegistry.class);
            AtomicInteger calls = new AtomicInteger();
            AtomicBoolean closing = new AtomicBoolean();
            Runnable call = () -> calls.addAndGet(closing.get() ? 1 : 0);
            assertThat(registry.after(TimeUnit.MILLISECONDS.toNanos(50), call)).isTrue();
            registry.destroy();
            closing.set(true);

            assertThat(registry.after(0, call)).isFalse();
            CountDownLatch later = new CountDownLatch(1);
            try (DaemonThreads.Timer timer = DaemonThreads.timer()) {
                var unused = timer.after(TimeUnit.MILLISECONDS.toNanos(60), later::countDown); // on the same thread
                assertThat(Uninterrupted.await(later, TimeUnit.MINUTES.toNanos(1)))
                        .isTrue();
            }
            assertThat(calls).hasValue(0);
            assertThat(output).doesNotContain("Unexpected error");
        });
    }
}
