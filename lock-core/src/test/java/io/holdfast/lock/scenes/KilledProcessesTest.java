package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.h2.tools.Server;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Processes that share a lock, and are killed at any moment and replaced. */
@Tag("full")
class KilledProcessesTest {

    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final int PROCESSES = 3;
    private static final int KILLS = 20;

    private String key;
    private final Random random = new Random();

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void counter_is_exact_although_many_holders_are_killed() throws Exception {
        RunningTime.withoutPause(this::killAndReplace);
    }

    private void killAndReplace() throws Exception {
        key = "killed:" + UUID.randomUUID();
        Server database = GuardedCounter.startDatabase();
        String url = GuardedCounter.url(database, key.replaceAll("\\W", "_"));
        GuardedCounter counter = new GuardedCounter(url);
        counter.create();
        JedisConnectionFactory connections = TestRedis.jedis(TestRedis.shared().port());
        RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT);
        List<WorkerProcess> workers = new ArrayList<>();
        try (LockEngine observer = LockEngine.builder(store).build()) {
            for (int i = 0; i < PROCESSES; i++) {
                workers.add(startCounting(url));
            }
            for (int i = 0; i < KILLS; i++) {
                long target = counter.increments("lock") + 1 + random.nextInt(50);
                Awaitility.await().atMost(2, TimeUnit.MINUTES).until(() -> counter.increments("lock") >= target);
                WorkerProcess victim = i % 2 == 0 ? killHolder(workers, observer) : killAny(workers);
                workers.remove(victim);
                workers.add(startCounting(url));
            }
            for (WorkerProcess worker : workers) {
                worker.kill();
            }
            assertExact(counter, "lock");
            assertExact(counter, "token");
        } finally {
            for (WorkerProcess worker : workers) {
                worker.close();
            }
            store.close();
            TestRedis.destroy(connections);
            database.stop();
        }
    }

    private WorkerProcess startCounting(String url) throws Exception {
        WorkerProcess worker = Worker.start("count", key, String.valueOf(LEASE.toMillis()), url);
        assertThat(worker.nextLine()).isEqualTo("STARTED");
        return worker;
    }

    private WorkerProcess killAny(List<WorkerProcess> workers) throws InterruptedException {
        WorkerProcess victim = workers.get(random.nextInt(workers.size()));
        victim.kill();
        return victim;
    }

    /** Stops processes until one stands still while it holds the lock, kills that one, and waits for its lock. */
    private WorkerProcess killHolder(List<WorkerProcess> workers, LockEngine observer) throws Exception {
        while (true) {
            WorkerProcess suspect = workers.get(random.nextInt(workers.size()));
            suspect.signal("STOP");
            LockHolder holder = observer.inspect(key).holder().orElse(null);
            if (holder == null || holder.pid() != suspect.pid()) {
                suspect.signal("CONT");
                continue;
            }
            suspect.kill();
            assertThat(holder.remaining()).isLessThanOrEqualTo(LEASE);
            Awaitility.await().atMost(2, TimeUnit.MINUTES).until(() -> isGone(holder, observer));
            return suspect;
        }
    }

    private boolean isGone(LockHolder dead, LockEngine observer) {
        return observer.inspect(key)
                .holder()
                .filter(holder -> holder.fencingToken() == dead.fencingToken())
                .isEmpty();
    }

    private static void assertExact(GuardedCounter counter, String name) throws SQLException {
        assertThat(counter.increments(name)).isPositive();
        assertThat(counter.amount(name)).isEqualTo(counter.increments(name));
    }
}
