package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** What a million locks leave behind: nothing. */
@Tag("full")
class LeakTest {

    private static final int LOCKS = 1_000_000;
    private static final int NAMES = 100_000;
    private static final int THREADS = 8;
    private static final long HEAP_TOLERANCE = 8L * 1024 * 1024;

    @Test
    void million_locks_leave_heap_threads_and_keys_where_they_were() throws Exception {
        try (RedisServerProcess server = RedisServerProcess.start();
                Jedis redis = new Jedis("127.0.0.1", server.port())) {
            RedisLockStore store = new RedisLockStore(
                    TestRedis.jedis(server.port()),
                    RedisLockSettings.STANDARD.withTokenRetention(Duration.ofSeconds(1)));
            ExecutorService workers = Executors.newFixedThreadPool(THREADS);
            try (LockEngine locks = LockEngine.builder(store).build()) {
                run(workers, locks, LOCKS / 20);
                Awaitility.await().atMost(2, TimeUnit.MINUTES).until(() -> redis.dbSize() == 0);
                long heap = usedHeap();
                Set<Thread> threads = Thread.getAllStackTraces().keySet();

                run(workers, locks, LOCKS);

                Awaitility.await().atMost(2, TimeUnit.MINUTES).until(() -> redis.dbSize() == 0);
                assertThat(newThreads(threads)).isEmpty();
                assertThat(usedHeap() - heap).isLessThan(HEAP_TOLERANCE);
            } finally {
                workers.shutdown();
                store.close();
            }
        }
    }

    private static void run(ExecutorService workers, LockEngine locks, int total) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int first = t;
            running.add(workers.submit(() -> {
                for (int i = first; i < total; i += THREADS) {
                    locks.execute("leak:" + i % NAMES, () -> {});
                }
            }));
        }
        for (Future<?> one : running) {
            one.get();
        }
    }

    /** The helper thread of the waiting test itself does not count. */
    private static Set<Thread> newThreads(Set<Thread> before) {
        Set<Thread> now = new HashSet<>(Thread.getAllStackTraces().keySet());
        now.removeAll(before);
        now.removeIf(thread -> thread.getName().startsWith("awaitility"));
        return now;
    }

    private static long usedHeap() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
            least = Math.min(least, heap.getUsed());
        }
        return least;
    }
}
