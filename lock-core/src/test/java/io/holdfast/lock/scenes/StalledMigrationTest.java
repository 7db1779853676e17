package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.SlotMigration;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A slot that is being moved and does not arrive: some of its keys are on the one side, some on the other. */
@Tag("full")
class StalledMigrationTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int LOCKS = 20;

    private static RedisClusterProcesses cluster;

    @BeforeAll
    static void start() {
        cluster = RedisClusterProcesses.start(3, 0, Duration.ofMinutes(5));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static String redisKey(String lock) {
        return "holdfast:{" + lock + "}";
    }

    /** Names that belong to one slot. */
    private static List<String> names() {
        String prefix = "stalled:" + UUID.randomUUID() + ":";
        int slot = RedisClusterProcesses.slot(redisKey(prefix));
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> prefix + i)
                .filter(name -> RedisClusterProcesses.slot(redisKey(name)) == slot)
                .limit(LOCKS + 1)
                .toList();
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    void locks_stay_held_and_can_be_released(TestRedis.Client client) throws Exception {
        RunningTime.withoutPause(() -> stall(client));
    }

    private static void stall(TestRedis.Client client) {
        List<String> names = names();
        List<String> moved = names.subList(0, LOCKS / 2);
        String made = names.get(LOCKS);
        SlotMigration migration = cluster.migration(RedisClusterProcesses.slot(redisKey(made)));
        try (Clients clients = Clients.open(2, client, cluster.address(), RedisLockSettings.STANDARD)) {
            List<LockHandle> held = new ArrayList<>();
            names.subList(0, LOCKS).forEach(name -> held.add(acquire(clients.get(0), name)));
            migration.begin();
            moved.forEach(name -> migration.moveKey(redisKey(name)));
            held.add(acquire(clients.get(0), made));

            assertHeldForSeveralLeases(held, clients.get(1));

            held.forEach(LockHandle::close);
            names.forEach(name -> acquire(clients.get(1), name).close());
        } finally {
            migration.finish();
        }
    }

    private static LockHandle acquire(LockEngine locks, String name) {
        return locks.acquire(LockRequest.of(name).lease(LEASE));
    }

    private static void assertHeldForSeveralLeases(List<LockHandle> held, LockEngine other) {
        Duration end = RunningTime.now().plus(LEASE.multipliedBy(3));
        while (RunningTime.now().compareTo(end) < 0) {
            assertThat(held).allMatch(LockHandle::isHeld);
            assertThat(held)
                    .allMatch(handle -> other.tryAcquire(handle.key().value()).isEmpty());
        }
    }
}
