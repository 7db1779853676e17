package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** What half a million locks of all kinds, some of them contended, leave behind: nothing. */
@Tag("full")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class LeakTest {

    private static final int LOCKS = 500_000;
    private static final int NAMES = 100_000;
    private static final int CONTENDED_NAMES = 8;
    private static final int CLIENTS = 2;
    private static final int THREADS = 4 * CLIENTS;
    private static final long HEAP_TOLERANCE = 8L * 1024 * 1024;

    private final List<LockEngine> clients = new ArrayList<>();
    private final ExecutorService workers = Executors.newFixedThreadPool(THREADS);

    @Test
    void half_a_million_locks_leave_heap_threads_and_keys_where_they_were() throws Exception {
        try (RedisServerProcess server = RedisServerProcess.start();
                CommandCount commands = new CommandCount(server.port());
                Jedis redis = TestRedis.administrator(server.port())) {
            JedisConnectionFactory connections = TestRedis.jedis(server.port());
            RedisLockStore store =
                    new RedisLockStore(connections, TestRedis.PATIENT.withTokenRetention(Duration.ofSeconds(1)));
            try {
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(LockEngine.builder(store).build());
                }
                run(LOCKS / 20);
                Clients.await(() -> redis.dbSize() == 0);
                long heap = usedHeap();
                Set<Thread> threads = Thread.getAllStackTraces().keySet();

                run(LOCKS);

                clients.forEach(locks -> Clients.await(() -> isEmpty(locks)));
                Clients.await(() -> redis.dbSize() == 0);
                assertThat(newThreads(threads)).isEmpty();
                assertThat(usedHeap() - heap).isLessThan(HEAP_TOLERANCE);
                assertThat(commands.subscriptions()).isEqualTo(CLIENTS);
            } finally {
                workers.shutdown();
                clients.forEach(LockEngine::close);
                Clients.await(() -> commands.subscriptions() == 0);
                store.close();
                TestRedis.destroy(connections);
            }
        }
    }

    private void run(int total) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            LockEngine locks = clients.get(t % CLIENTS);
            running.add(workers.submit(() -> {
                for (int i = 0; i < total / THREADS; i++) {
                    locks.execute(anyLock(ThreadLocalRandom.current()), () -> {});
                }
            }));
        }
        for (Future<?> one : running) {
            one.get();
        }
    }

    /** One in twenty is one of a few that all want. */
    private static LockRequest anyLock(ThreadLocalRandom random) {
        String key = random.nextInt(20) == 0
                ? "contended:" + random.nextInt(CONTENDED_NAMES)
                : "leak:" + random.nextInt(NAMES);
        LockRequest request = LockRequest.of(key).waitFor(Duration.ofMinutes(2));
        return switch (random.nextInt(10)) {
            case 0 -> request.fair(true);
            case 1 -> request.shared();
            case 2 -> request.shared(2);
            case 3 -> request.shared(2).fair(true);
            default -> request;
        };
    }

    /** Nobody stands in line, nobody waits in a queue, nobody is told of those who wait. */
    private static boolean isEmpty(LockEngine locks) throws ReflectiveOperationException {
        Object queue = field(field(field(locks, "shared"), "client"), "queue");
        Object entries = field(queue, "entries");
        return ((Map<?, ?>) field(queue, "lines")).isEmpty()
                && ((Map<?, ?>) field(entries, "entries")).isEmpty()
                && ((Map<?, ?>) field(entries, "rows")).isEmpty()
                && ((Map<?, ?>) field(entries, "cohorts")).isEmpty();
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
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
