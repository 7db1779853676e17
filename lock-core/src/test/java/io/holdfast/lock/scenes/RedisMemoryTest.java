package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/**
 * Locks take as much memory in Redis as {@code docs/operations.md} says. Other versions of Redis, and other allocators, differ by
 * some percent; the keys of idle locks live for the retention of their tokens.
 */
@EnabledOnOs(OS.LINUX)
class RedisMemoryTest {

    private static final Path PAGE = Path.of("..", "docs", "operations.md");
    private static final Pattern ROW = Pattern.compile("\\| ([^|]+) \\| ([0-9,]+) B \\|.*");
    private static final int MANY = 100;
    private static final int READERS = 5;
    private static final long LEASE = Duration.ofMinutes(5).toMillis();
    private static final long RETENTION = Duration.ofMinutes(10).toMillis();
    private static final HolderInfo SHORT = new HolderInfo("shop-7c9d5b8f6-abcde", 1, "http-nio-8080-exec-1");
    private static final HolderInfo LONG =
            new HolderInfo("ip-10-0-12-34.eu-central-1.compute.internal", 12345, "http-nio-8080-exec-123");

    private int sequence;

    private AcquireRequest request(String key, HolderInfo holder, int limit) {
        OwnerId owner = new OwnerId("6f1f0c2d9a8b7e6d5c4b3a29", ++sequence);
        return new AcquireRequest(LockKey.of(key), owner, LEASE, holder, limit, 1, false, true, 1, 0, false);
    }

    @Test
    void locks_take_the_memory_that_the_page_says() throws IOException {
        Map<String, Long> measured = measured();
        Map<String, Long> written = written();

        assertThat(written.keySet()).as("measured: %s", measured).isEqualTo(measured.keySet());
        measured.forEach(
                (row, bytes) -> assertThat(written.get(row)).as(row).isCloseTo(bytes, Percentage.withPercentage(25)));
    }

    private Map<String, Long> measured() {
        Map<String, Long> measured = new TreeMap<>();
        try (RedisServerProcess server = RedisServerProcess.start();
                Jedis redis = TestRedis.administrator(server.port())) {
            RedisConnectionFactory connections = TestRedis.jedis(server.port());
            try (RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT)) {
                single(measured, store, redis);
                several(measured, store, redis);
            } finally {
                TestRedis.destroy(connections);
            }
        }
        return measured;
    }

    private static long bytes(Jedis redis, String key) {
        return redis.memoryUsage("holdfast:{" + key + "}", 0);
    }

    private void single(Map<String, Long> measured, RedisLockStore store, Jedis redis) {
        AcquireRequest held = request("order:100001", SHORT, AcquireRequest.EXCLUSIVE);
        store.acquire(held);
        measured.put("held", bytes(redis, "order:100001"));
        store.release(new ReleaseRequest(
                held.key(), held.owner(), Duration.ZERO, ReleaseRequest.ALL_TOKENS, LEASE, AcquireRequest.EXCLUSIVE));
        assertThat(redis.pttl("holdfast:{order:100001}"))
                .isGreaterThan(RETENTION)
                .isLessThanOrEqualTo(RETENTION + LEASE);
        measured.put("idle, token retained", bytes(redis, "order:100001"));
        store.acquire(request("order:100002", LONG, AcquireRequest.EXCLUSIVE));
        measured.put("held, holder longer than 64 characters", bytes(redis, "order:100002"));
    }

    private void several(Map<String, Long> measured, RedisLockStore store, Jedis redis) {
        for (int i = 0; i <= MANY; i++) {
            store.acquire(request("order:100003", SHORT, AcquireRequest.EXCLUSIVE));
        }
        measured.put("each waiting entry in the queue", bytes(redis, "order:100003") / MANY);
        for (int i = 0; i < MANY; i++) {
            store.acquire(request("order:100004", SHORT, MANY * READERS));
        }
        measured.put("each shared holder", bytes(redis, "order:100004") / MANY);
    }

    private static Map<String, Long> written() throws IOException {
        Map<String, Long> written = new TreeMap<>();
        Files.readString(PAGE)
                .lines()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .forEach(row ->
                        written.put(row.group(1), Long.parseLong(row.group(2).replace(",", ""))));
        return written;
    }
}
