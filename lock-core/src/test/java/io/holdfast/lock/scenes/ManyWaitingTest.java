package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Very many calls that wait for locks, and no threads that do. */
@Tag("full")
class ManyWaitingTest {

    private static final int KEYS = 100;
    private static final int CALLS = 20_000;
    private static final int MAX_THREADS = 10;
    private static final long MAX_BYTES = 60L * 1024 * 1024;

    private final RedisConnectionFactory connections =
            TestRedis.Client.JEDIS.connect(TestRedis.shared().port());
    private final RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT);
    private final LockEngine holders = LockEngine.builder(store).build();
    private final LockEngine locks =
            LockEngine.builder(store).maxAsyncWaiting(CALLS).build();

    @AfterEach
    void close() {
        locks.close();
        holders.close();
        store.close();
        TestRedis.destroy(connections);
    }

    @Test
    void waiting_calls_take_no_threads_and_little_memory_and_are_served_in_order() {
        List<LockHandle> held = IntStream.range(0, KEYS)
                .mapToObj(key -> holders.acquire(request(key)).detach())
                .toList();
        locks.execute("other", () -> {});
        int threads = Thread.activeCount();
        long bytes = liveBytes();
        Map<Integer, List<Integer>> served = new ConcurrentHashMap<>();

        List<CompletableFuture<Void>> results = IntStream.range(0, CALLS)
                .mapToObj(call -> locks.executeAsync(request(call % KEYS), lock -> {
                    served.computeIfAbsent(call % KEYS, key -> new ArrayList<>())
                            .add(call);
                    return CompletableFuture.<Void>completedFuture(null);
                }))
                .toList();
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> locks.waiting().size() == CALLS);

        assertThat(Thread.activeCount() - threads).isLessThanOrEqualTo(MAX_THREADS);
        assertThat(liveBytes() - bytes).isLessThanOrEqualTo(MAX_BYTES);

        held.forEach(LockHandle::close);
        CompletableFuture.allOf(results.toArray(new CompletableFuture<?>[0]))
                .orTimeout(4, TimeUnit.MINUTES)
                .join();
        for (int key = 0; key < KEYS; key++) {
            assertThat(served.get(key)).hasSize(CALLS / KEYS).isSorted();
        }
    }

    private static LockRequest request(int key) {
        return LockRequest.of("many:" + key).waitFor(Duration.ofMinutes(10));
    }

    private static long liveBytes() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
