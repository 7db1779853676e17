package io.holdfast.lock.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.sample.SampleInstance;
import io.holdfast.lock.sample.ShopApplication;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An instance in a JVM of its own, ended with SIGKILL: nothing of it can clean up. */
@Tag("full")
class KilledInstanceTest {

    @TempDir
    private Path directory;

    private Process instance;

    @AfterEach
    void leaveNothingBehind() {
        if (instance != null) {
            instance.destroyForcibly();
        }
    }

    @Test
    void a_killed_instance_leaves_no_redis_behind() throws Exception {
        ProcessHandle server = startInstance();
        assertThat(server.isAlive()).isTrue();

        kill();

        server.onExit().get(20, TimeUnit.SECONDS);
    }

    @Test
    void who_joined_a_killed_instance_goes_on_with_its_redis_and_its_database() throws Exception {
        ProcessHandle server = startInstance();
        try (SampleInstance joined = SampleInstance.start(directory, SampleInstance.noRedis())) {
            long order =
                    joined.post("/orders?product=1").join().json().get("id").asLong();
            kill();

            awaitDatabase(joined);
            assertThat(joined.post("/orders/" + order + "/payment").join().text())
                    .contains("\"charged\":true");
            assertThat(server.isAlive()).isTrue();
        }
        server.onExit().get(20, TimeUnit.SECONDS);
    }

    /** Until H2 has noticed that nobody serves the file any more. */
    private static void awaitDatabase(SampleInstance instance) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        while (instance.get("/products").status() != 200) {
            assertThat(System.nanoTime()).as("the database comes back").isLessThan(end);
        }
    }

    private void kill() throws InterruptedException {
        instance.destroyForcibly();
        assertThat(instance.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    /** {@return its Redis} */
    private ProcessHandle startInstance() throws IOException {
        instance = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShopApplication.class.getName(),
                        "--server.port=0",
                        "--shop.directory=" + directory,
                        "--spring.data.redis.host=127.0.0.1",
                        "--spring.data.redis.port=" + SampleInstance.noRedis())
                .redirectErrorStream(true)
                .start();
        return awaitStart(instance.inputReader(StandardCharsets.UTF_8));
    }

    private static ProcessHandle awaitStart(BufferedReader output) throws IOException {
        StringBuilder seen = new StringBuilder();
        String line;
        while ((line = output.readLine()) != null) {
            seen.append(line).append('\n');
            if (line.contains("Started ShopApplication")) {
                Thread drain = new Thread(() -> output.lines().forEach(more -> {}), "instance-output");
                drain.setDaemon(true);
                drain.start();
                String pid = seen.toString().replaceAll("(?s).*redis-server on .*?\\(pid (\\d+)\\).*", "$1");
                return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
            }
        }
        throw new AssertionError("The instance did not start:\n" + seen);
    }
}
