package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** The three scenes that everybody asks a distributed lock for, on a real Redis. */
@Tag("full")
@ParameterizedClass
@EnumSource(TestRedis.Client.class)
class ThreeScenesTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    @Parameter
    private TestRedis.Client client;

    private final String key = "scene:" + UUID.randomUUID();
    private RedisConnectionFactory connections;
    private RedisLockStore store;
    private LockEngine locks;

    @BeforeEach
    void open() {
        connections = client.connect(TestRedis.shared().port());
        store = new RedisLockStore(connections, TestRedis.PATIENT);
        locks = LockEngine.builder(store).build();
    }

    @AfterEach
    void close() {
        locks.close();
        store.close();
        TestRedis.destroy(connections);
    }

    @Test
    void work_that_takes_longer_than_its_lease_keeps_the_lock() throws Exception {
        RunningTime.withoutPause(this::workForTwoLeases);
    }

    private void workForTwoLeases() throws InterruptedException {
        try (Jedis redis = TestRedis.administrator(TestRedis.shared().port());
                LockEngine others = LockEngine.builder(store).build();
                LockHandle work = locks.acquire(LockRequest.of(key).lease(LEASE))) {
            Instant end = time(redis).plus(LEASE.multipliedBy(2));
            while (time(redis).isBefore(end)) {
                assertThat(others.tryAcquire(key)).isEmpty();
                assertThat(work.isHeld()).isTrue();
                Thread.sleep(20);
            }
        }
        assertThat(locks.inspect(key).holder()).isEmpty();
    }

    private static Instant time(Jedis redis) {
        return Instant.ofEpochSecond(Long.parseLong(redis.time().get(0)));
    }

    @Test
    void second_thread_is_refused() {
        try (LockHandle held = locks.acquire(key)) {
            assertThat(NewThread.call(() -> locks.tryAcquire(key))).isEmpty();
            assertThat(held.isHeld()).isTrue();
        }
        assertThat(NewThread.call(() -> locks.tryAcquire(key))).isPresent();
    }

    @Test
    void second_process_is_refused() throws Exception {
        try (WorkerProcess worker = Worker.start("hold", key, "30000")) {
            assertThat(worker.nextLine()).startsWith("HELD ");

            assertThat(locks.tryAcquire(key)).isEmpty();
            assertThat(locks.inspect(key).holder())
                    .hasValueSatisfying(holder -> assertThat(holder.pid()).isEqualTo(worker.pid()));

            worker.send("close");
            assertThat(worker.nextLine()).isEqualTo("CLOSED");
            assertThat(locks.tryAcquire(key)).isPresent();
        }
    }

    @Test
    void holder_enters_again_and_only_its_last_exit_frees_the_lock() {
        locks.execute(key, () -> {
            locks.execute(key, () -> locks.getLock(key).lock());
            locks.getLock(key).unlock();
            assertThat(NewThread.call(() -> locks.tryAcquire(key))).isEmpty();
        });

        Awaitility.await().until(() -> locks.inspect(key).holder().isEmpty());
    }
}
