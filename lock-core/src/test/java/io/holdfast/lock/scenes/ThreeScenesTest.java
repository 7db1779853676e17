package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

/** The three scenes that everybody asks a distributed lock for, on a real Redis. */
@ParameterizedClass
@EnumSource(TestRedis.Client.class)
class ThreeScenesTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    @Parameter
    private TestRedis.Client client;

    private final String key = "scene:" + UUID.randomUUID();
    private RedisLockStore store;
    private LockEngine locks;

    @BeforeEach
    void open() {
        store = new RedisLockStore(client.connect(TestRedis.shared().port()), RedisLockSettings.STANDARD);
        locks = LockEngine.builder(store).build();
    }

    @AfterEach
    void close() {
        locks.close();
        store.close();
    }

    @Test
    void work_that_takes_longer_than_its_lease_keeps_the_lock() {
        try (LockEngine others = LockEngine.builder(store).build();
                LockHandle work = locks.acquire(LockRequest.of(key).lease(LEASE))) {
            Instant end = redisTime().plus(LEASE.multipliedBy(2));
            while (redisTime().isBefore(end)) {
                assertThat(others.tryAcquire(key)).isEmpty();
                assertThat(work.isHeld()).isTrue();
            }
        }
        assertThat(locks.inspect(key).holder()).isEmpty();
    }

    private static Instant redisTime() {
        try (Jedis redis = new Jedis("127.0.0.1", TestRedis.shared().port())) {
            return Instant.ofEpochSecond(Long.parseLong(redis.time().get(0)));
        }
    }

    @Test
    void second_thread_is_refused() {
        try (LockHandle held = locks.acquire(key)) {
            assertThat(CompletableFuture.supplyAsync(() -> locks.tryAcquire(key))
                            .join())
                    .isEmpty();
            assertThat(held.isHeld()).isTrue();
        }
        assertThat(CompletableFuture.supplyAsync(() -> locks.tryAcquire(key)).join())
                .isPresent();
    }

    @Test
    void second_process_is_refused() throws Exception {
        try (WorkerProcess worker = WorkerProcess.start("hold", key, "30000")) {
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
            assertThat(CompletableFuture.supplyAsync(() -> locks.tryAcquire(key))
                            .join())
                    .isEmpty();
        });

        Awaitility.await().until(() -> locks.inspect(key).holder().isEmpty());
    }
}
