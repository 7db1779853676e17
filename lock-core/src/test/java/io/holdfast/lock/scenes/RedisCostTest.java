package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

/** What locks cost, counted by the server. */
@ParameterizedClass
@EnumSource(TestRedis.Client.class)
class RedisCostTest {

    @Parameter
    private TestRedis.Client client;

    private RedisServerProcess server;
    private Jedis redis;
    private StoreSpy store;
    private LockEngine locks;

    @BeforeEach
    void open() {
        server = RedisServerProcess.start();
        redis = new Jedis("127.0.0.1", server.port());
        store = new StoreSpy(new RedisLockStore(client.connect(server.port()), RedisLockSettings.STANDARD));
        locks = LockEngine.builder(store).build();
        locks.acquire("warm-up").close();
        redis.configResetStat();
    }

    @AfterEach
    void close() {
        locks.close();
        store.close();
        redis.close();
        server.close();
    }

    /** Commands that clients sent; what scripts call inside is not counted here. */
    private Map<String, Long> sent() {
        return redis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .map(line -> line.substring("cmdstat_".length()).split(":calls=|,", 3))
                .filter(part -> !part[0].startsWith("config") && !part[0].equals("info"))
                .collect(Collectors.toMap(part -> part[0], part -> Long.parseLong(part[1])));
    }

    @Test
    void uncontended_lock_and_unlock_are_two_evalsha() {
        for (int i = 0; i < 100; i++) {
            locks.execute("order:" + i, () -> {});
        }

        Map<String, Long> sent = sent();
        assertThat(sent).containsEntry("evalsha", 200L).doesNotContainKeys("eval", "publish", "subscribe", "ping");
        assertThat(totalCommands()).isEqualTo(200);
    }

    /** Redis counts a script as one command here, whatever it calls inside; so this is what came over the wire. */
    private long totalCommands() {
        Map<String, Long> sent = sent();
        long inside = sent.entrySet().stream()
                .filter(entry -> List.of("time", "hmget", "hset", "hdel", "pexpire", "hget", "hgetall")
                        .contains(entry.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
        return sent.values().stream().mapToLong(Long::longValue).sum() - inside;
    }

    @Test
    void reentry_costs_nothing() {
        try (LockHandle outer = locks.acquire("order:42")) {
            redis.configResetStat();
            for (int i = 0; i < 1000; i++) {
                locks.execute("order:42", () -> assertThat(outer.isHeld()).isTrue());
            }
            assertThat(sent()).isEmpty();
        }
    }

    @Test
    void ten_thousand_idle_locks_take_a_hundredth_of_the_renewal_calls() {
        List<LockHandle> handles = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            handles.add(locks.acquire(LockRequest.of("idle:" + i).lease(Duration.ofSeconds(12))));
        }
        redis.configResetStat();
        int before = renewedLocks();

        Awaitility.await().atMost(5, TimeUnit.MINUTES).until(() -> renewedLocks() >= before + 20_000);

        long renewed = renewedLocks() - before;
        assertThat(sent().get("evalsha")).isLessThanOrEqualTo(renewed / 100);
        assertThat(handles).allMatch(LockHandle::isHeld);
    }

    private int renewedLocks() {
        return store.renewals.stream().mapToInt(List::size).sum();
    }
}
