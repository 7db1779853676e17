package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Three nodes with one schedule, whose clocks differ, and a job that is much shorter than they differ. Time from one tick to
 * the next passes by force: the lock that outlives its job is taken away.
 */
@Tag("full")
class ScheduledJobTest {

    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final AtomicInteger SKIPPED = new AtomicInteger();

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Node {

        @Bean
        Job job() {
            return new Job();
        }

        @Bean
        LockListener skips() {
            return event -> {
                if (event instanceof LockEvent.NotAcquired) {
                    SKIPPED.incrementAndGet();
                }
            };
        }
    }

    static class Job {

        @Scheduled(initialDelayString = "${node.skew}", fixedRateString = "PT24H")
        @DistributedLock(name = "report", waitFor = 0, minHold = 3_600, onContention = OnContention.SKIP)
        public void report() {
            RUNS.incrementAndGet();
        }
    }

    private static void tick(String firstSkew, String secondSkew, String thirdSkew) {
        node(firstSkew, () -> node(secondSkew, () -> node(thirdSkew, ScheduledJobTest::allNodesHaveTried)));
    }

    private static void node(String skew, Runnable andThen) {
        Runners.redis()
                .withUserConfiguration(Node.class)
                .withPropertyValues("node.skew=" + skew, "holdfast.redis.key-prefix=scheduled")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    andThen.run();
                });
    }

    private static void allNodesHaveTried() {
        await().atMost(Duration.ofMinutes(1)).until(() -> RUNS.get() + SKIPPED.get() >= 3);
    }

    @AfterEach
    void freeTheLock() {
        timePassesUntilTheNextTick();
    }

    private static void timePassesUntilTheNextTick() {
        Runners.redis()
                .withPropertyValues("holdfast.redis.key-prefix=scheduled")
                .run(context -> context.getBean(LockTemplate.class).forceRelease("report"));
        RUNS.set(0);
        SKIPPED.set(0);
    }

    @Test
    void job_runs_once_over_all_nodes_at_each_tick() {
        tick("PT0S", "PT0.2S", "PT0.4S");
        assertThat(RUNS).hasValue(1);
        assertThat(SKIPPED).hasValue(2);

        timePassesUntilTheNextTick();
        tick("PT0.3S", "PT0.1S", "PT0S");
        assertThat(RUNS).hasValue(1);
        assertThat(SKIPPED).hasValue(2);

        timePassesUntilTheNextTick();
        tick("PT0S", "PT0S", "PT0S");
        assertThat(RUNS).hasValue(1);
        assertThat(SKIPPED).hasValue(2);
    }
}
