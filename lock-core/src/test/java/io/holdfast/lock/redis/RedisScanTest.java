package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

/** What is Redis' own about a walk through all locks: what else is there, what it costs, several servers. */
@ParameterizedClass
@EnumSource(TestRedis.Client.class)
class RedisScanTest {

    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");

    @Parameter
    private TestRedis.Client client;

    private RedisServerProcess server;
    private Jedis redis;
    private RedisLockStore store;

    @BeforeEach
    void start() {
        server = RedisServerProcess.start();
        redis = TestRedis.administrator(server.port());
        store = new RedisLockStore(client.connect(server.port()), TestRedis.PATIENT);
    }

    @AfterEach
    void stop() {
        store.close();
        redis.close();
        server.close();
    }

    private static void hold(RedisLockStore store, String key) {
        store.acquire(new AcquireRequest(
                LockKey.of(key),
                new OwnerId("alice", 1),
                30_000,
                HERE,
                AcquireRequest.EXCLUSIVE,
                1,
                false,
                false,
                1,
                0,
                false));
    }

    private LockScan scan(LockScanRequest request) {
        return scan(store, request);
    }

    private static LockScan scan(RedisLockStore store, LockScanRequest request) {
        try (LockEngine engine = LockEngine.builder(store).build()) {
            return engine.scan(request.withCallsPerSecond(10_000));
        }
    }

    private static Set<String> keys(LockScan scan) {
        return scan.locks().stream().map(lock -> lock.key().value()).collect(Collectors.toSet());
    }

    @Test
    void what_others_have_written_under_the_prefix_is_passed_over() {
        hold(store, "mine");
        redis.set("holdfast:{text}", "x");
        redis.hset("holdfast:{hash}", "owner", "somebody");
        redis.hset("holdfast:{later}", "crowd", "2/anything");
        redis.hset("holdfast:{broken}", Map.of("owner", "a:1", "lease_end", "9999999999999999", "token", "none"));
        redis.hset("holdfast:{}", "owner", "a:1");
        redis.hset("holdfast:{open", "owner", "a:1");
        redis.hset("holdfast:{a}:{b}", "owner", "a:1");
        redis.hset("holdfast:{%zz}", "owner", "a:1");
        redis.hset("holdfast:joined", "owner", "a:1");
        redis.hset("another:{mine}", "owner", "a:1");
        redis.hset(
                "holdfast:{\u0001\nlock:{mine}".getBytes(StandardCharsets.UTF_8),
                Map.of(new byte[] {-1}, new byte[] {-1}));

        LockScan scan = scan(LockScanRequest.ALL);

        assertThat(keys(scan)).containsExactly("mine");
        assertThat(scan.complete()).isTrue();
    }

    @Test
    void all_locks_are_found_among_many_other_keys() {
        IntStream.range(0, 250).forEach(i -> hold(store, "order:" + i));
        try (var pipeline = redis.pipelined()) {
            IntStream.range(0, 5_000).forEach(i -> pipeline.set("other:" + i, "x"));
        }

        LockScan scan = scan(LockScanRequest.ALL);

        assertThat(scan.locks())
                .hasSize(250)
                .isSortedAccordingTo((a, b) -> a.key().value().compareTo(b.key().value()));
        assertThat(scan.complete()).isTrue();
    }

    @Test
    void scan_reads_many_locks_per_call_and_never_all_keys() {
        IntStream.range(0, 250).forEach(i -> hold(store, "order:" + i));
        redis.configResetStat();

        scan(LockScanRequest.ALL);

        String stats = redis.info("commandstats");
        assertThat(stats).doesNotContain("cmdstat_keys:").doesNotContain("cmdstat_hset:");
        assertThat(calls(stats, "evalsha")).isBetween(4L, 12L);
    }

    private static long calls(String stats, String command) {
        return stats.lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":calls="))
                .mapToLong(line -> Long.parseLong(line.split("=|,", 3)[1]))
                .sum();
    }

    @Test
    void result_is_cut_at_the_limit_and_says_so() {
        IntStream.range(0, 30).forEach(i -> hold(store, "order:" + i));

        LockScan cut = scan(LockScanRequest.ALL.withLimit(29));

        assertThat(cut.locks()).hasSize(29);
        assertThat(cut.complete()).isFalse();
        assertThat(scan(LockScanRequest.ALL.withLimit(30)).complete()).isTrue();
    }

    @Test
    void lock_is_found_on_each_master_of_a_cluster() {
        String prefix = "scan-" + client + ":";
        Set<String> keys = IntStream.range(0, 60).mapToObj(i -> prefix + i).collect(Collectors.toSet());
        RedisLockStore cluster = OpenStore.of(RedisTopology.CLUSTER, client, TestRedis.PATIENT);
        keys.forEach(key -> hold(cluster, key));

        LockScan scan = scan(cluster, LockScanRequest.ALL.withKeysStartingWith(prefix));

        assertThat(keys(scan)).isEqualTo(keys);
        assertThat(scan.locks()).extracting(LockStatus::holders).allMatch(holders -> holders.size() == 1);
        assertThat(scan.complete()).isTrue();
    }

    @Test
    void server_that_fails_during_the_walk_makes_it_incomplete() {
        IntStream.range(0, 150).forEach(i -> hold(store, "order:" + i));
        StoreScan scan = store.openScan("").orElseThrow();
        scan.step();
        scan.step();
        redis.aclSetUser("default", "-evalsha");

        while (scan.step()) {
            assertThat(scan.isComplete()).isFalse();
        }

        assertThat(scan.isComplete()).isFalse();
        assertThat(scan.size()).isPositive().isLessThan(150);
    }

    @Test
    void server_that_does_not_permit_it_at_all_fails_the_walk() {
        hold(store, "order:1");
        redis.aclSetUser("default", "-scan");
        StoreScan scan = store.openScan("").orElseThrow();

        assertThatThrownBy(scan::step).isInstanceOf(LockStoreException.class).hasMessageContaining("ACL");
    }
}
