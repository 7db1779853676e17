package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The clock of one server is set while locks are held, waited for, and reserved: what docs/reliability.md lists. */
@Tag("full")
class ServerClockTest {

    private static final String KEY = "order:42";
    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final LockRequest REQUEST = LockRequest.of(KEY).lease(LEASE);
    private static final LockRequest PATIENT = REQUEST.waitFor(Duration.ofMinutes(1));

    /** Far less than the steps by which a clock could hold it up, and more than a busy machine needs. */
    private static final Duration SOON = Duration.ofSeconds(30);

    private RedisServerProcess server;
    private RedisConnectionFactory connections;
    private RedisLockStore store;
    private RedisLockStore othersStore;
    private LockEngine locks;
    private LockEngine others;

    @BeforeEach
    void open() {
        server = RedisServerProcess.startSteppable();
        connections = TestRedis.jedis(server.port());
        store = new RedisLockStore(connections, TestRedis.PATIENT);
        othersStore = new RedisLockStore(connections, TestRedis.PATIENT);
        locks = LockEngine.builder(store).build();
        others = LockEngine.builder(othersStore).build();
    }

    @AfterEach
    void close() {
        if (server != null) {
            locks.close();
            others.close();
            store.close();
            othersStore.close();
            TestRedis.destroy(connections);
            server.close();
        }
    }

    private Optional<LockHandle> tryAcquire() {
        return others.tryAcquire(REQUEST.waitFor(Duration.ZERO));
    }

    private static void outlast(LockHandle handle, Duration time) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .during(time)
                .atMost(time.multipliedBy(10))
                .until(handle::isHeld);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1S", "PT-1S", "PT-1M", "PT-1H"})
    void lock_stays_held_and_is_renewed(Duration step) {
        LockHandle held = locks.acquire(REQUEST);
        server.step(step);

        assertThat(tryAcquire()).isEmpty();
        outlast(held, LEASE.plusSeconds(2));
        assertThat(tryAcquire()).isEmpty();

        held.close();
        try (LockHandle next = others.acquire(PATIENT)) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1M", "PT1H"})
    void jump_beyond_the_lease_frees_the_lock_and_its_holder_is_notified_at_the_next_renewal(Duration step) {
        LockHandle held = locks.acquire(REQUEST);
        server.step(step);

        try (LockHandle next = others.acquire(PATIENT)) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
            Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> !held.isHeld());
            assertThat(next.isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1S", "PT1M", "PT1H", "PT-1S", "PT-1M", "PT-1H"})
    void waiter_gets_the_lock_soon_after_it_is_free(Duration step) throws Exception {
        LockHandle held = locks.acquire(REQUEST.renew(false));
        CompletableFuture<Long> next = CompletableFuture.supplyAsync(() -> {
            try (LockHandle handle = others.acquire(PATIENT)) {
                return handle.fencingToken();
            }
        });
        awaitWaiting();
        server.step(step);
        closeQuietly(held);

        assertThat(next.get(SOON.toSeconds(), TimeUnit.SECONDS)).isGreaterThan(held.fencingToken());
    }

    private void awaitWaiting() {
        Awaitility.await().until(() -> store.inspect(LockKey.of(KEY)).waiters() == 1);
    }

    /** It may be lost already. */
    private static void closeQuietly(LockHandle handle) {
        try {
            handle.close();
        } catch (LockLostException lost) {
            // The clock went beyond its lease.
        }
    }

    /** Somebody died in front, before the clock was set: its place must not hold up others until the clock has caught up. */
    @ParameterizedTest
    @ValueSource(strings = {"PT1S", "PT1M", "PT1H", "PT-1S", "PT-1M", "PT-1H"})
    void dead_waiter_holds_up_others_for_seconds_only(Duration step) throws Exception {
        OwnerId holder = new OwnerId("holder", 1);
        LockKey key = LockKey.of(KEY);
        HolderInfo here = new HolderInfo("web-1", 1, "main");
        AcquireReply.Granted granted =
                (AcquireReply.Granted) store.acquire(Requests.exclusive(key, holder, 600_000, here, false));
        store.acquire(Requests.exclusive(key, new OwnerId("dead", 1), 600_000, here, true));
        server.step(step);
        CompletableFuture<Long> next = CompletableFuture.supplyAsync(() -> {
            try (LockHandle handle = others.acquire(PATIENT)) {
                return handle.fencingToken();
            }
        });
        Awaitility.await().until(() -> next.isDone() || store.inspect(key).waiters() >= 1);
        store.release(new ReleaseRequest(key, holder));

        assertThat(next.get(SOON.toSeconds(), TimeUnit.SECONDS)).isGreaterThan(granted.token());
    }

    /** As before, but the lock is reserved for the dead one when the clock is set. */
    @ParameterizedTest
    @ValueSource(strings = {"PT1S", "PT1M", "PT1H", "PT-1S", "PT-1M", "PT-1H"})
    void reservation_for_a_dead_waiter_ends_after_seconds(Duration step) throws Exception {
        OwnerId holder = new OwnerId("holder", 1);
        LockKey key = LockKey.of(KEY);
        HolderInfo here = new HolderInfo("web-1", 1, "main");
        store.acquire(Requests.exclusive(key, holder, 600_000, here, false));
        store.acquire(Requests.exclusive(key, new OwnerId("dead", 1), 600_000, here, true));
        store.release(new ReleaseRequest(key, holder));
        server.step(step);

        CompletableFuture<Boolean> next = CompletableFuture.supplyAsync(() -> {
            try (LockHandle handle = others.acquire(PATIENT)) {
                return handle.isHeld();
            }
        });

        assertThat(next.get(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
}
