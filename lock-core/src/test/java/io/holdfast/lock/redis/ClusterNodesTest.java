package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.ServerNode;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** The nodes of a cluster do not wait for each other. */
@Tag("full")
class ClusterNodesTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    /** So long that a renewal which waited for a node that hangs would be too late. */
    private static final RedisLockSettings PATIENT =
            RedisLockSettings.STANDARD.withCommandTimeout(LEASE.multipliedBy(2));

    private static RedisClusterProcesses cluster;

    @BeforeAll
    static void start() {
        cluster = RedisClusterProcesses.start(3, 0, Duration.ofMinutes(5));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static List<LockKey> keys(TestRedis.Client client) {
        return IntStream.range(0, 60)
                .mapToObj(i -> LockKey.of(client + ":" + i))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    void store_tells_its_nodes_apart(TestRedis.Client client) {
        RedisConnectionFactory connections = client.connect(cluster.address());
        try (RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT)) {
            store.inspect(LockKey.of("connects"));
            assertThat(keys(client).stream().collect(Collectors.groupingBy(store::serverOf)))
                    .hasSize(3)
                    .allSatisfy((server, theirs) -> assertThat(theirs.stream()
                                    .map(key -> cluster.masterOf("holdfast:{" + key.value() + "}"))
                                    .distinct())
                            .hasSize(1));
        }
        TestRedis.destroy(connections);
    }

    @ParameterizedTest
    @EnumSource(TestRedis.Client.class)
    void eviction_policies_are_known_by_node(TestRedis.Client client) {
        ServerNode node = cluster.masterOf("holdfast:{0}");
        RedisConnectionFactory connections = client.connect(cluster.address());
        try (RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT);
                Jedis admin = TestRedis.administrator(node.port())) {
            admin.configSet("maxmemory-policy", "allkeys-lru");

            Map<String, String> policies = store.evictionPolicies();

            assertThat(policies).hasSize(3).containsEntry("127.0.0.1:" + node.port(), "allkeys-lru");
            assertThat(policies.values()).containsExactlyInAnyOrder("noeviction", "noeviction", "allkeys-lru");
            admin.configSet("maxmemory-policy", "noeviction");
        }
        TestRedis.destroy(connections);
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    void node_that_hangs_loses_its_own_locks_and_no_others(TestRedis.Client client) throws Exception {
        RunningTime.withoutPause(() -> hang(client));
    }

    private static void hang(TestRedis.Client client) throws InterruptedException {
        RedisConnectionFactory connections = client.connect(cluster.address());
        ServerNode node = cluster.masterOf("holdfast:{" + client + ":0}");
        try (RedisLockStore store = new RedisLockStore(connections, PATIENT);
                LockEngine locks = LockEngine.builder(store).build()) {
            List<LockHandle> hanging = new ArrayList<>();
            List<LockHandle> healthy = new ArrayList<>();
            for (LockKey key : keys(client)) {
                boolean hangs = cluster.masterOf("holdfast:{" + key.value() + "}") == node;
                (hangs ? hanging : healthy)
                        .add(locks.acquire(LockRequest.of(key.value()).lease(LEASE)));
            }
            node.pause();
            Awaitility.await()
                    .atMost(1, TimeUnit.MINUTES)
                    .until(() -> hanging.stream().noneMatch(LockHandle::isHeld));
            Thread.sleep(LEASE.toMillis());
            node.resume();

            assertThat(healthy).isNotEmpty().allMatch(LockHandle::isHeld);
        } finally {
            node.resume();
            TestRedis.destroy(connections);
        }
    }

    /** It is not known which locks are on the node, so each is asked for alone. */
    @Test
    void node_that_hangs_costs_others_no_renewal_by_an_unknown_factory() {
        RedisConnectionFactory connections = TestRedis.hide(TestRedis.Client.JEDIS.connect(cluster.address()));
        LockKey hanging = LockKey.of("hangs");
        ServerNode node = cluster.masterOf("holdfast:{hangs}");
        LockKey healthy = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> LockKey.of("healthy" + i))
                .filter(key -> cluster.masterOf("holdfast:{" + key.value() + "}") != node)
                .findFirst()
                .orElseThrow();
        OwnerId owner = new OwnerId("client", 1);
        try (RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT)) {
            List<RenewRequest> requests = Stream.of(hanging, healthy)
                    .map(key -> Requests.renewal(key, owner, 600_000))
                    .toList();
            for (LockKey key : List.of(hanging, healthy)) {
                store.acquire(Requests.exclusive(key, owner, 600_000, new HolderInfo("here", 1, "test"), true));
            }
            store.renew(requests);
            node.pause();

            assertThat(store.renew(requests))
                    .hasExactlyElementsOfTypes(RenewReply.Failed.class, RenewReply.Renewed.class);
        } finally {
            node.resume();
            TestRedis.destroy(connections);
        }
    }
}
