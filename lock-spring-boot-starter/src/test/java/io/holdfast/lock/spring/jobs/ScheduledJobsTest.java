package io.holdfast.lock.spring.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
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
                    .filteredOn(run -> run.is(Outcome.SUCCEEDED))
                    .extracting(JobRun::fireTime)
                    .containsAll(seen.subList(0, 4));
        }));
    }

    @Test
    void each_fire_time_is_run_once_with_one_server() {
        two(Runners.redis());
    }

    @Test
    void each_fire_time_is_run_once_on_a_cluster() {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start()) {
            two(Runners.redis().withPropertyValues("spring.data.redis.cluster.nodes=" + nodes(cluster.address())));
        }
    }

    @Test
    void each_fire_time_is_run_once_with_sentinels() {
        try (RedisSentinelProcesses sentinels = RedisSentinelProcesses.start()) {
            two(Runners.redis()
                    .withPropertyValues(
                            "spring.data.redis.sentinel.nodes=" + nodes(sentinels.address()),
                            "spring.data.redis.sentinel.master=" + RedisAddress.SENTINEL_MASTER));
        }
    }
}
