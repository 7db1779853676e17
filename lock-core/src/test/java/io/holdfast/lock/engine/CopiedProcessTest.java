package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** Two clients with the same heap: the same client id, and the same counters. Nobody told them that they are two. */
class CopiedProcessTest {

    private static final LockRequest REQUEST = LockRequest.of("copied");

    @Test
    void copies_are_never_both_granted_a_lock_in_memory() {
        try (LockStore store = new InMemoryLockStore()) {
            theCopiesExcludeEachOther(store, store);
        }
    }

    @ParameterizedTest
    @EnumSource(TestRedis.Client.class)
    void copies_are_never_both_granted_a_lock_in_redis(TestRedis.Client driver) {
        RedisConnectionFactory one = driver.connect(TestRedis.shared().port());
        RedisConnectionFactory other = driver.connect(TestRedis.shared().port());
        try (LockStore store = new RedisLockStore(one, TestRedis.PATIENT);
                LockStore copied = new RedisLockStore(other, TestRedis.PATIENT)) {
            theCopiesExcludeEachOther(store, copied);
        } finally {
            TestRedis.destroy(one);
            TestRedis.destroy(other);
        }
    }

    private static void theCopiesExcludeEachOther(LockStore store, LockStore copied) {
        String key = "copied:" + UUID.randomUUID();
        try (LockEngine locks = LockEngine.builder(store).build();
                LockEngine copy = Copies.of(locks, copied)) {
            for (int i = 0; i < 20; i++) {
                LockHandle held = locks.acquire(LockRequest.of(key));
                assertThat(onAnotherThread(copy, LockRequest.of(key))).isEmpty();
                held.close();
                Optional<LockHandle> passedOn = onAnotherThread(copy, LockRequest.of(key));
                assertThat(passedOn).isPresent();
                assertThat(locks.tryAcquire(LockRequest.of(key))).isEmpty();
                assertThat(passedOn.get().fencingToken()).isGreaterThan(held.fencingToken());
                passedOn.get().close();
            }
        }
    }

    /** What one copy waits for is not granted to the other one's waiter, which hears the same channel. */
    @Test
    void a_message_for_one_copy_is_not_taken_for_the_others() {
        String key = "copied";
        try (LockStore store = new InMemoryLockStore();
                LockEngine locks = LockEngine.builder(store).build();
                LockEngine copy = Copies.of(locks, store)) {
            GuardedTurns turns = new GuardedTurns();
            LockRequest patient = LockRequest.of(key).waitFor(Duration.ofMinutes(10));
            var one = NewThread.start(() -> turns.take(locks, patient));
            var other = NewThread.start(() -> turns.take(copy, patient));
            one.join();
            other.join();
            assertThat(turns.collisions).isZero();
            assertThat(turns.taken).isEqualTo(2 * GuardedTurns.EACH);
        }
    }

    @Test
    void a_suspended_client_has_no_connection_and_a_resumed_one_goes_on() throws Exception {
        try (RedisServerProcess server = RedisServerProcess.start()) {
            RedisConnectionFactory application = TestRedis.Client.JEDIS.connect(server.port());
            try (LockStore store = new RedisLockStore(application, TestRedis.PATIENT);
                    LockEngine locks = LockEngine.builder(store).build();
                    Jedis probe = TestRedis.administrator(server.port())) {
                LockHandle held = locks.acquire(REQUEST);
                assertThat(onAnotherThread(
                                locks, REQUEST.waitFor(Duration.ofMillis(50)).fair(true)))
                        .isEmpty();
                assertThat(connections(probe)).isGreaterThan(1);
                locks.suspend(Duration.ZERO);
                await().until(() -> connections(probe) == 1);
                assertThat(probe.hexists("holdfast:{copied}", "owner")).isFalse();
                locks.resume();
                locks.acquire(REQUEST).close();
                assertThat(held.isHeld()).isFalse();
            } finally {
                TestRedis.destroy(application);
            }
        }
    }

    private static long connections(Jedis probe) {
        return probe.clientList().lines().count();
    }

    private static Optional<LockHandle> onAnotherThread(LockEngine locks, LockRequest request) {
        return NewThread.call(() -> locks.tryAcquire(request));
    }

    private static final class GuardedTurns {

        private static final int EACH = 200;

        private volatile boolean inside;
        private int collisions;
        private int taken;

        private int take(LockEngine locks, LockRequest request) {
            for (int i = 0; i < EACH; i++) {
                locks.execute(request, () -> {
                    if (inside) {
                        collisions++;
                    }
                    inside = true;
                    Thread.yield();
                    taken++;
                    inside = false;
                });
            }
            return EACH;
        }
    }
}
