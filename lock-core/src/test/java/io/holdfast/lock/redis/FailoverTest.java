package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import io.holdfast.lock.testing.ServerNode;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/** A primary dies, or hangs until after it was replaced, while a lock is held and somebody waits for it. */
@Tag("full")
@ParameterizedClass
@EnumSource(names = {"DEDICATED", "JEDIS", "LETTUCE"})
class FailoverTest {

    private static final Duration TIMEOUT = RedisLockSettings.STANDARD.commandTimeout();

    @Parameter
    private ConnectionKind kind;

    private final String key = "failover:" + UUID.randomUUID();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sentinels_replace_the_primary(boolean hangs) throws Exception {
        try (RedisSentinelProcesses redis = RedisSentinelProcesses.start()) {
            RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration();
            sentinels.setMaster(RedisAddress.SENTINEL_MASTER);
            sentinels.setSentinels(nodes(redis.sentinels()));
            assertHandedOver(sentinels, () -> {
                ServerNode primary = redis.master();
                end(primary, hangs);
                redis.awaitOtherMaster(primary);
                return primary;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cluster_replaces_the_primary(boolean hangs) throws Exception {
        try (RedisClusterProcesses redis = RedisClusterProcesses.start()) {
            int slot = RedisClusterProcesses.slot("holdfast:{" + key + "}");
            RedisClusterConfiguration cluster = new RedisClusterConfiguration();
            cluster.setClusterNodes(nodes(redis.nodes()));
            assertHandedOver(cluster, () -> {
                ServerNode primary = redis.masterOf(slot);
                end(primary, hangs);
                redis.awaitOtherMaster(slot, primary);
                return primary;
            });
        }
    }

    private static List<RedisNode> nodes(List<ServerNode> servers) {
        return servers.stream()
                .map(server -> new RedisNode("127.0.0.1", server.port()))
                .toList();
    }

    private static void end(ServerNode primary, boolean hangs) {
        if (hangs) {
            primary.pause();
        } else {
            primary.kill();
        }
    }

    private void assertHandedOver(RedisConfiguration place, Callable<ServerNode> failover) throws Exception {
        RedisConnectionFactory applications = kind.connect(place, TIMEOUT);
        LockRequest request = LockRequest.of(key)
                .lease(Duration.ofMinutes(1))
                .waitFor(Duration.ofMinutes(5))
                .outageTolerance(Duration.ofMinutes(5));
        try (RedisLockStore store = new RedisLockStore(applications, kind.settings(TIMEOUT));
                LockEngine holder = LockEngine.builder(store).build();
                LockEngine other = LockEngine.builder(store).build()) {
            await(() -> holder.tryAcquire(key + ":other").isPresent());
            LockHandle held = holder.acquire(request);
            long token = held.fencingToken();
            CompletableFuture<Long> waiter = NewThread.start(() -> {
                try (LockHandle next = other.acquire(request)) {
                    return next.fencingToken();
                }
            });
            await(() -> holder.inspect(key).waiters() == 1);
            TimeUnit.SECONDS.sleep(1); // for the replica

            failover.call();
            await(() -> {
                held.extend(Duration.ofMinutes(2));
                return true;
            });
            assertThat(waiter).isNotDone();
            held.close();

            assertThat(waiter.get(1, TimeUnit.MINUTES)).isGreaterThan(token);
        } finally {
            TestRedis.destroy(applications);
        }
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .pollDelay(Duration.ZERO)
                .ignoreException(LockStoreException.class)
                .until(condition);
    }
}
