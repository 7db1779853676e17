package io.holdfast.lock.benchmarks.counting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.benchmarks.peer.Latch;
import io.holdfast.lock.benchmarks.peer.LockClient;
import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.peer.Servers;
import io.holdfast.lock.testing.RedisServerProcess;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

class CountingProxyTest {

    private static final long LEASE_MILLIS = 30_000;

    private final RedisServerProcess server = RedisServerProcess.start();
    private final CountingProxy proxy = new CountingProxy(server.port());

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    @Test
    void what_a_script_calls_is_not_counted() {
        try (Jedis jedis = new Jedis("127.0.0.1", proxy.port())) {
            jedis.ping();
            long before = proxy.total();

            jedis.eval("for i = 1, 10 do redis.call('INCR', 'n') end redis.call('PUBLISH', 'c', 'm')");
            assertThat(jedis.get("n")).isEqualTo("10");

            assertThat(proxy.total() - before).isEqualTo(2);
            assertThat(proxy.byName()).doesNotContainKeys("INCR", "PUBLISH");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Peer.class,
            names = {"HOLDFAST", "FLOOR"})
    void an_uncontended_pair_is_two_commands(Peer peer) {
        try (LockClient client = peer.open(Servers.of(proxy.port()), LEASE_MILLIS)) {
            Latch latch = client.latch("pair");
            pairs(latch, 1);
            Map<String, Long> before = proxy.byName();
            long total = proxy.total();

            pairs(latch, 100);

            assertThat(proxy.total() - total)
                    .as("from %s to %s", before, proxy.byName())
                    .isEqualTo(200);
        }
    }

    private static void pairs(Latch latch, int count) {
        for (int i = 0; i < count; i++) {
            latch.lock();
            latch.unlock();
        }
    }
}
