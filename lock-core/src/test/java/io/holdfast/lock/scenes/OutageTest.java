package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
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

/** Redis hangs, dies, comes back empty, or refuses; the client goes on without a restart. */
@Tag("full")
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class OutageTest {

    private static final String KEY = "order:42";
    private static final Duration LEASE = Duration.ofSeconds(1);

    /** For those who tell, and those who look at the clock, on a busy machine. */
    private static final Duration MARGIN = Duration.ofSeconds(2);

    /** For a server that does not answer: it is waited for several times. */
    private static final RedisLockSettings HASTY =
            RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofMillis(500));

    /** For a server that is gone for good: for a quarter of this time, Lettuce's connections may come back. */
    private static final RedisLockSettings RECONNECTING =
            RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(8));

    @Parameter
    private TestRedis.Client client;

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private RedisServerProcess server;
    private RedisConnectionFactory connections;
    private RedisLockStore store;
    private LockEngine locks;

    @BeforeEach
    void start() {
        server = RedisServerProcess.start();
        connections = client.connect(server.port());
        open(TestRedis.PATIENT);
    }

    private void open(RedisLockSettings settings) {
        store = new RedisLockStore(connections, settings);
        locks = LockEngine.builder(store).listener(events::add).build();
    }

    private void reopen(RedisLockSettings settings) {
        closeClient();
        open(settings);
    }

    private void closeClient() {
        locks.close();
        store.close();
    }

    @AfterEach
    void close() {
        closeClient();
        TestRedis.destroy(connections);
        server.close();
    }

    private LockHandle acquireOnceServed() {
        return acquireOnceServed(LockRequest.of(KEY));
    }

    private LockHandle acquireOnceServed(LockRequest request) {
        return Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .ignoreException(LockStoreException.class)
                .until(() -> NewThread.call(() -> locks.acquire(request)), LockHandle::isHeld);
    }

    /** When its lease has run out, which was renewed before the time given for the last time. */
    private void assertLostOnTime(LockHandle handle, Duration lease, Duration renewedBefore)
            throws InterruptedException {
        AtomicReference<Duration> reportedAt = new AtomicReference<>();
        CountDownLatch reported = new CountDownLatch(1);
        handle.onLost(loss -> {
            reportedAt.set(RunningTime.now());
            reported.countDown();
        });
        assertThat(reported.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(reportedAt.get().minus(renewedBefore)).isLessThan(lease.plus(MARGIN));
        assertThat(handle.isHeld()).isFalse();
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void holder_is_told_while_redis_hangs_and_locks_work_again_after_it() throws Exception {
        reopen(HASTY);
        Duration lease = LEASE.multipliedBy(4);
        LockHandle handle = acquireOnceServed(LockRequest.of(KEY).lease(lease));
        long token = handle.fencingToken();
        server.pause();
        Duration paused = RunningTime.now();

        assertLostOnTime(handle, lease, paused);
        assertThatThrownBy(() -> locks.acquire("other")).isInstanceOf(LockStoreException.class);
        assertThatThrownBy(() -> locks.tryAcquire("other")).isInstanceOf(LockStoreException.class);
        assertThatThrownBy(() -> locks.inspect("other")).isInstanceOf(LockStoreException.class);

        server.resume();
        try (LockHandle next = acquireOnceServed()) {
            assertThat(next.fencingToken()).isGreaterThan(token);
        }
        assertThat(events).anyMatch(LockEvent.RenewalFailed.class::isInstance);
    }

    @Test
    void acquire_that_arrives_when_redis_goes_on_is_undone() {
        reopen(HASTY);
        acquireOnceServed(LockRequest.of("warm-up"));
        server.pause();
        assertThatThrownBy(() -> locks.acquire(LockRequest.of(KEY).lease(Duration.ofDays(1))))
                .isInstanceOf(LockStoreException.class);

        server.resume();

        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> acquireOnceServed().isHeld());
    }

    @Test
    void waiting_thread_gets_an_exception_and_is_not_stuck_when_redis_dies() {
        reopen(RECONNECTING);
        LockHandle handle = locks.acquire(KEY);
        try (LockEngine others = LockEngine.builder(store).build()) {
            List<CompletableFuture<LockHandle>> waiting = Stream.generate(() -> NewThread.start(() -> others.acquire(
                            LockRequest.of(KEY).waitFor(Duration.ofDays(1)).outageTolerance(Duration.ZERO))))
                    .limit(3)
                    .toList();
            Awaitility.await().until(() -> locks.inspect(KEY).waiters() > 0);

            server.kill();

            assertThat(waiting)
                    .allSatisfy(
                            waiter -> assertThatThrownBy(waiter::join).hasCauseInstanceOf(LockStoreException.class));
            assertThat(handle.isHeld()).isTrue();
        }
    }

    @Test
    void tokens_grow_when_redis_comes_back_empty() throws Exception {
        LockHandle handle = locks.acquire(LockRequest.of(KEY).lease(LEASE));
        long token = handle.fencingToken();
        server.kill();
        Duration killed = RunningTime.now();
        assertLostOnTime(handle, LEASE, killed);

        server.startAgain();

        try (LockHandle next = acquireOnceServed()) {
            assertThat(next.fencingToken()).isGreaterThan(token);
        }
    }

    @Test
    void held_lock_survives_a_script_flush() {
        try (Jedis redis = TestRedis.administrator(server.port());
                LockHandle handle = locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(30)))) {
            redis.scriptFlush();
            handle.extend(Duration.ofSeconds(60));
            redis.scriptFlush();
        }
        assertThat(locks.inspect(KEY).holder()).isEmpty();
    }

    @Test
    void lock_that_redis_forgot_is_lost_and_not_renewed() throws Exception {
        LockHandle handle = locks.acquire(LockRequest.of(KEY).lease(LEASE));
        try (Jedis redis = TestRedis.administrator(server.port())) {
            redis.flushAll();
        }
        Duration forgotten = RunningTime.now();

        assertLostOnTime(handle, LEASE, forgotten);
    }

    @Test
    void read_only_server_is_an_error_and_the_holder_is_told() throws Exception {
        LockHandle handle = locks.acquire(LockRequest.of(KEY).lease(LEASE));
        try (Jedis redis = TestRedis.administrator(server.port())) {
            redis.replicaof("127.0.0.1", 1);
            Duration refused = RunningTime.now();
            assertThatThrownBy(() -> locks.acquire("other"))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("READONLY");
            assertLostOnTime(handle, LEASE, refused);

            redis.replicaofNoOne();
        }
        acquireOnceServed().close();
    }
}
