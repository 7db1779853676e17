package io.holdfast.lock.benchmarks.uncontended;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.RedisServerProcess;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

class ServerLoadTest {

    @Test
    void scripts_are_counted_and_what_they_call_is_not() {
        try (RedisServerProcess server = RedisServerProcess.start();
                Jedis redis = new Jedis("127.0.0.1", server.port(), 60_000)) {
            ServerLoad before = ServerLoad.of(server.port());
            redis.set("key", "value");
            for (int i = 0; i < 10; i++) {
                redis.eval("return redis.call('SET', 'key', 'value')");
            }
            ServerLoad after = ServerLoad.of(server.port());

            assertThat(after.scripts() - before.scripts()).isEqualTo(10);
            assertThat(after.processorMicros()).isGreaterThanOrEqualTo(before.processorMicros());
        }
    }

    @Test
    void time_is_that_of_as_many_scripts_as_a_pair_takes() {
        assertThat(new ServerLoad(500, 30).microsForPairSince(new ServerLoad(100, 10), 2))
                .isEqualTo(40);
    }
}
