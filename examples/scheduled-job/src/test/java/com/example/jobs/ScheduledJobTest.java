package com.example.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import redis.embedded.RedisServer;

class ScheduledJobTest {

    private static int port;
    private static RedisServer redis;

    @BeforeAll
    static void startRedis() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        redis = new RedisServer(port);
        redis.start();
    }

    @AfterAll
    static void stopRedis() throws IOException {
        redis.stop();
    }

    @Test
    void one_of_two_instances_runs_the_job() {
        try (ConfigurableApplicationContext first = start();
                ConfigurableApplicationContext second = start()) {
            await().atMost(Duration.ofMinutes(1)).until(() -> hasTried(first) && hasTried(second));

            assertThat(runs(first) + runs(second)).isEqualTo(1);
        }
    }

    /** Tries every second, where the first run keeps the others out for half a minute. */
    private static ConfigurableApplicationContext start() {
        return SpringApplication.run(
                ScheduledJob.class, "--report.cron=* * * * * *", "--holdfast.redis.url=redis://localhost:" + port);
    }

    private static boolean hasTried(ConfigurableApplicationContext instance) {
        return runs(instance) + instance.getBean(Skipped.class).times() > 0;
    }

    private static int runs(ConfigurableApplicationContext instance) {
        return instance.getBean(Report.class).runs();
    }
}
