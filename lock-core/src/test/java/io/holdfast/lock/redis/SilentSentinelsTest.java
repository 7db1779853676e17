package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Sentinels report a new master to their subscribers, but all subscriptions of a client are dead and nobody says so. */
@Tag("full")
class SilentSentinelsTest {

    private static final LockRequest REQUEST =
            LockRequest.of("silent-sentinels").waitFor(Duration.ZERO);

    @Test
    void client_finds_the_new_master() {
        try (RedisSentinelProcesses redis = RedisSentinelProcesses.start(1, Duration.ofMinutes(2))) {
            List<FaultProxy> networks = redis.sentinels().stream()
                    .map(sentinel -> new FaultProxy(sentinel.port()))
                    .toList();
            RedisConnectionFactory applications = TestRedis.Client.JEDIS.connect(new RedisAddress(
                    RedisAddress.Kind.SENTINEL,
                    networks.stream().map(FaultProxy::port).toList()));
            try (RedisLockStore store = new RedisLockStore(applications, RedisLockSettings.STANDARD);
                    LockEngine locks = LockEngine.builder(store).build()) {
                awaitLock(locks);
                networks.forEach(FaultProxy::lose);
                redis.failOver();
                redis.awaitReady();

                awaitLock(locks);
            }
            TestRedis.destroy(applications);
            networks.forEach(FaultProxy::close);
        }
    }

    private static void awaitLock(LockEngine locks) {
        Awaitility.await().ignoreException(LockStoreException.class).until(() -> {
            locks.acquire(REQUEST).close();
            return true;
        });
    }
}
