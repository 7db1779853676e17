package io.holdfast.lock.spring.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Jobs that Spring's scheduler calls, on two instances, with each kind of Redis. */
class ScheduledJobsTest {

    private static final List<Instant> FIRE_TIMES = new CopyOnWriteArrayList<>();

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Application {

        @Bean
        EverySecond job() {
            return new EverySecond();
        }

        @Bean
        EveryYear report() {
            return new EveryYear();
        }
    }

    static class EveryYear {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OnOneInstance(name = "report", lease = "3s")
        public void report() {}
    }

    static class EverySecond {

        @Scheduled(cron = "* * * * * *")
        @OnOneInstance(name = "tick")
        public void tick() {
            FIRE_TIMES.add(Jobs.currentRun().orElseThrow().fireTime());
        }
    }

    @BeforeEach
    void nothingHasRun() {
        FIRE_TIMES.clear();
    }

    private static String nodes(RedisAddress address) {
        return address.ports().stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    private static void two(ApplicationContextRunner instance) {
        ApplicationContextRunner application =
                instance.withUserConfiguration(Application.class).withPropertyValues("holdfast.redis.key-prefix=ticks");
        application.run(a -> application.run(b -> {
            await().atMost(Duration.ofMinutes(1)).until(() -> FIRE_TIMES.size() > 4);
            assertThat(a).hasNotFailed();
            assertThat(b).hasNotFailed();
            List<Instant> seen = List.copyOf(FIRE_TIMES);
            for (int i = 1; i < seen.size(); i++) {
                assertThat(seen.get(i)).isAfter(seen.get(i - 1));
            }
            JobStatus status = b.getBean(Jobs.class).get("tick");
            assertThat(status.runs())
                    .filteredOn(run -> run.outcome() == Outcome.SUCCEEDED)
                    .extracting(JobRun::fireTime)
                    .containsAll(seen.subList(0, 4));
            pauses(a, b);
            takesOver(a, b);
        }));
    }

    private static void pauses(ApplicationContext a, ApplicationContext b) {
        Jobs jobs = b.getBean(Jobs.class);
        a.getBean(Jobs.class).pause("tick");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> jobs.get("tick").runs().get(0).outcome() == Outcome.SKIPPED);
        assertThat(jobs.get("tick").paused()).isTrue();
        jobs.resume("tick");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> jobs.get("tick").runs().get(0).outcome() == Outcome.SUCCEEDED);
    }

    /** The run of an instance that has died. */
    private static void takesOver(ApplicationContext a, ApplicationContext b) {
        Instant newYear = LocalDate.now(ZoneOffset.UTC)
                .withDayOfYear(1)
                .atStartOfDay(ZoneOffset.UTC)
                .toInstant();
        LockHandle lock = a.getBean(LockTemplate.class)
                .acquire(LockRequest.of("report")
                        .lease(Duration.ofSeconds(3))
                        .renew(false)
                        .withData(Duration.ofDays(1)))
                .detach();
        JobRun run = JobRun.begun(new Decision.Run(newYear, 1, Optional.empty()), Instant.now(), 1, "dead");
        lock.saveData(JobState.NONE.begin(run, Optional.empty(), 20).encode(1_024));

        b.getBean(EveryYear.class).report();

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(
                        () -> assertThat(a.getBean(Jobs.class).get("report").runs())
                                .extracting(JobRun::outcome)
                                .containsExactly(Outcome.SUCCEEDED, Outcome.LOST));
    }

    @Test
    void each_fire_time_is_run_once_with_one_server() {
        two(Runners.redis());
    }

    @Test
    void each_fire_time_is_run_once_on_a_cluster() {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(3, 0, Duration.ofMinutes(5))) {
            two(Runners.redis().withPropertyValues("spring.data.redis.cluster.nodes=" + nodes(cluster.address())));
        }
    }

    @Test
    void each_fire_time_is_run_once_with_sentinels() {
        try (RedisSentinelProcesses sentinels = RedisSentinelProcesses.start(0, Duration.ofMinutes(5))) {
            two(Runners.redis()
                    .withPropertyValues(
                            "spring.data.redis.sentinel.nodes=" + nodes(sentinels.address()),
                            "spring.data.redis.sentinel.master=" + RedisAddress.SENTINEL_MASTER));
        }
    }
}
