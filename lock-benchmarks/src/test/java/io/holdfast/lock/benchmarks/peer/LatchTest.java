package io.holdfast.lock.benchmarks.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.TestRedis;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

class LatchTest {

    private static final long LEASE_MILLIS = 30_000;

    private final int port = TestRedis.shared().port();
    private final String key = "latch-" + UUID.randomUUID();

    @ParameterizedTest
    @EnumSource(names = {"HOLDFAST", "REDISSON"})
    void lock_that_is_held_is_found_in_redis(Peer peer) {
        try (PeerClient client = peer.open(Servers.of(port), LEASE_MILLIS);
                Jedis redis = TestRedis.administrator(port)) {
            Latch latch = client.latch(key);
            latch.lock();
            assertThat(latch.isInRedis(redis)).isTrue();

            latch.unlock();
            assertThat(latch.isInRedis(redis)).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HOLDFAST", "REDISSON"})
    void lock_that_is_not_in_redis_is_lost_though_the_client_believes_in_it(Peer peer) {
        try (PeerClient client = peer.open(Servers.of(port), LEASE_MILLIS);
                Jedis redis = TestRedis.administrator(port)) {
            Latch latch = client.latch(key);
            latch.lock();

            redis.keys("*" + key + "*").forEach(redis::del);

            assertThat(latch.isInRedis(redis)).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HOLDFAST", "REDISSON"})
    void lock_of_another_client_is_not_its_own(Peer peer) {
        try (PeerClient first = peer.open(Servers.of(port), LEASE_MILLIS);
                PeerClient second = peer.open(Servers.of(port), LEASE_MILLIS);
                Jedis redis = TestRedis.administrator(port)) {
            Latch lost = first.latch(key);
            lost.lock();
            redis.keys("*" + key + "*").forEach(redis::del);
            second.latch(key).lock();

            assertThat(lost.isInRedis(redis)).isFalse();
        }
    }
}
