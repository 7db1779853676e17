package io.holdfast.lock.benchmarks.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.CountingProxy;
import io.holdfast.lock.testing.RedisServerProcess;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PairTest {

    private static final long LEASE_MILLIS = 30_000;

    private final RedisServerProcess server = RedisServerProcess.start();
    private final CountingProxy proxy = new CountingProxy(server.port());

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = Peer.class,
            names = {"HOLDFAST", "HOLDFAST_LETTUCE", "FLOOR"})
    void an_uncontended_pair_is_two_commands(Peer peer) {
        try (PeerClient client = peer.open(Servers.of(proxy.port()), LEASE_MILLIS)) {
            Latch latch = client.latch("pair");
            pairs(latch, 1);
            Map<String, Long> before = proxy.byName();

            pairs(latch, 100);

            Map<String, Long> after = proxy.byName();
            assertThat(commands(after) - commands(before))
                    .as("from %s to %s", before, after)
                    .isEqualTo(200);
        }
    }

    /** Without those that introduce a new connection: those for renewals connect in the background. */
    private static long commands(Map<String, Long> byName) {
        return byName.entrySet().stream()
                .filter(command -> !"CLIENT".equals(command.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static void pairs(Latch latch, int count) {
        for (int i = 0; i < count; i++) {
            latch.lock();
            latch.unlock();
        }
    }
}
