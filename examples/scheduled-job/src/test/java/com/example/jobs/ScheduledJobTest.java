package com.example.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
    void each_report_is_written_by_one_of_two_instances() {
        try (ConfigurableApplicationContext first = start();
                ConfigurableApplicationContext second = start()) {
            List<Instant> ofFirst = fireTimes(first);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> ofFirst.size() + fireTimes(second).size() >= 5);
            first.close();
            List<Instant> others = List.copyOf(fireTimes(second));
            await().atMost(Duration.ofMinutes(1)).until(() -> fireTimes(second).size() > others.size());

            List<Instant> all = new ArrayList<>(ofFirst);
            all.addAll(fireTimes(second));
            assertThat(all).doesNotHaveDuplicates();
        }
    }

    /** Every second. */
    private static ConfigurableApplicationContext start() {
        return SpringApplication.run(
                ScheduledJob.class, "--report.cron=* * * * * *", "--holdfast.redis.url=redis://localhost:" + port);
    }

    private static List<Instant> fireTimes(ConfigurableApplicationContext instance) {
        return instance.getBean(Report.class).fireTimes();
    }
}
