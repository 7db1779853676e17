package io.holdfast.lock.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.sample.SampleInstance;
import io.holdfast.lock.testing.RedisServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class LocalRedisTest {

    @TempDir
    private Path directory;

    private record Configured(int port) implements DataRedisConnectionDetails {
        @Override
        public Standalone getStandalone() {
            return Standalone.of("127.0.0.1", port);
        }
    }

    @Test
    void a_redis_that_answers_is_used_and_none_is_started() throws IOException {
        Configured configured = new Configured(0);
        try (RedisServerProcess redis = RedisServerProcess.start();
                LocalRedis local = new LocalRedis(directory)) {
            configured = new Configured(redis.port());

            assertThat(local.postProcessAfterInitialization(configured, "redis"))
                    .isSameAs(configured);
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void if_none_answers_one_is_started_and_ends_with_its_only_user(CapturedOutput output) throws Exception {
        long pid;
        try (LocalRedis local = new LocalRedis(directory)) {
            int port = portOf(local);
            pid = pid(output);

            assertThat(EmbeddedRedis.answers("127.0.0.1", port, false)).isTrue();
            assertThat(output).contains("Redis: started an embedded redis-server on 127.0.0.1:" + port);
        }
        assertThatItEnds(pid);
    }

    @Test
    void a_second_instance_joins_and_keeps_the_server_when_the_first_ends(CapturedOutput output) throws Exception {
        LocalRedis first = new LocalRedis(directory);
        LocalRedis second = new LocalRedis(directory);
        int port = portOf(first);

        assertThat(portOf(second)).isEqualTo(port);
        assertThat(output).contains("Redis: joined 127.0.0.1:" + port, "redis.address");
        long pid = pid(output);
        first.close();
        assertThat(EmbeddedRedis.answers("127.0.0.1", port, false)).isTrue();
        second.close();
        assertThatItEnds(pid);
    }

    @Test
    void instances_that_start_at_the_same_moment_share_one_server() throws Exception {
        List<LocalRedis> all = List.of(new LocalRedis(directory), new LocalRedis(directory), new LocalRedis(directory));
        ExecutorService threads = Executors.newFixedThreadPool(all.size());
        try {
            List<Callable<Integer>> starts = all.stream()
                    .map(local -> (Callable<Integer>) () -> portOf(local))
                    .toList();
            List<Future<Integer>> ports = threads.invokeAll(starts);

            assertThat(ports).extracting(Future::get).containsOnly(ports.get(0).get());
        } finally {
            threads.shutdown();
            for (LocalRedis local : all) {
                local.close();
            }
        }
    }

    @Test
    void what_an_earlier_run_left_is_not_believed() throws Exception {
        Path file = directory.resolve("redis.address");
        Path plainFile = Files.createFile(directory.resolve("alive"));
        List<String> published = List.of(String.valueOf(SampleInstance.noRedis()), directory.toString());
        Files.write(file, published);
        assertThat(EmbeddedRedis.join(file)).isNull();

        Files.delete(plainFile);
        assertThat(EmbeddedRedis.join(file)).isNull();

        assertThat(new ProcessBuilder("mkfifo", plainFile.toString()).start().waitFor())
                .isZero();
        assertThat(EmbeddedRedis.join(file)).as("nothing answers at its port").isNull();

        Files.writeString(file, "many\n" + directory);
        assertThat(EmbeddedRedis.join(file)).isNull();
    }

    @Test
    void a_cluster_is_left_to_the_one_who_configured_it() throws IOException {
        DataRedisConnectionDetails cluster = new DataRedisConnectionDetails() {
            @Override
            public Cluster getCluster() {
                return () -> List.of(new Node("127.0.0.1", SampleInstance.noRedis()));
            }
        };
        try (LocalRedis local = new LocalRedis(directory)) {
            assertThat(local.postProcessAfterInitialization(cluster, "redis")).isSameAs(cluster);
            assertThat(local.postProcessAfterInitialization("another bean", "bean"))
                    .isEqualTo("another bean");
        }
    }

    @Test
    void on_windows_the_user_is_told_what_to_set() {
        assertThatThrownBy(() -> EmbeddedRedis.refuseWindows("Windows 11"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("spring.data.redis.host");
    }

    private static int portOf(LocalRedis local) {
        var details = (DataRedisConnectionDetails)
                local.postProcessAfterInitialization(new Configured(SampleInstance.noRedis()), "redis");
        return details.getStandalone().getPort();
    }

    private static long pid(CapturedOutput output) {
        return Long.parseLong(output.toString().replaceAll("(?s).*\\(pid (\\d+)\\)\\. Other instances.*", "$1"));
    }

    private static void assertThatItEnds(long pid) throws Exception {
        var process = ProcessHandle.of(pid);
        if (process.isPresent()) {
            process.get().onExit().get(20, TimeUnit.SECONDS);
        }
    }
}
