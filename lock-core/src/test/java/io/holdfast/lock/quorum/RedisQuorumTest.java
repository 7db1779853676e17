package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A lock over three servers, of which one or two fail. */
@Tag("full")
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class RedisQuorumTest extends RedisQuorumFixture {

    private static final String KEY = "order:42";

    /** Longer than a busy machine delays a renewal, and shorter than the time after which a server takes part again. */
    private static final Duration LEASE = REJOIN_DELAY.dividedBy(3);

    private static final LockRequest REQUEST = LockRequest.of(KEY).lease(LEASE);
    private static final LockRequest PATIENT = REQUEST.waitFor(Duration.ofMinutes(1));

    /** For a loss that the test waits for. */
    private static final LockRequest SHORT = PATIENT.lease(Duration.ofSeconds(4));

    @Parameter
    private TestRedis.Client client;

    private QuorumLockStore store;
    private LockEngine locks;
    private LockEngine others;

    @BeforeEach
    void open() {
        start(3);
        store = connect(client);
        locks = LockEngine.builder(store).build();
        others = LockEngine.builder(connect(client)).build();
    }

    @AfterEach
    void close() {
        locks.close();
        others.close();
    }

    private static LockHandle acquireOnceServed(LockEngine engine, LockRequest request) {
        return Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .ignoreException(LockStoreException.class)
                .until(() -> engine.acquire(request), LockHandle::isHeld);
    }

    @Test
    void lock_is_held_by_one_and_passes_to_the_next() {
        LockHandle held = locks.acquire(REQUEST);
        assertThatThrownBy(() -> others.acquire(REQUEST.waitFor(Duration.ofMillis(300))))
                .isInstanceOf(LockNotAcquiredException.class);
        held.close();

        try (LockHandle next = others.acquire(PATIENT)) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    void lock_is_held_and_granted_while_one_server_is_dead() {
        LockHandle held = locks.acquire(REQUEST);
        servers.get(1).kill();
        holdFor(held, LEASE.plusSeconds(2));
        held.close();

        try (LockHandle next = others.acquire(PATIENT)) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    void lock_is_held_and_granted_while_one_server_hangs() {
        LockHandle held = locks.acquire(REQUEST);
        servers.get(0).pause();
        holdFor(held, LEASE.plusSeconds(2));
        held.close();

        try (LockHandle next = others.acquire(PATIENT)) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
        servers.get(0).resume();
    }

    @Test
    void lock_is_granted_while_answers_of_one_server_are_lost() {
        acquireOnceServed(locks, PATIENT).close();
        proxies.get(2).loseReplies(true);

        long last = 0;
        for (int i = 0; i < 5; i++) {
            try (LockHandle handle = locks.acquire(PATIENT)) {
                assertThat(handle.fencingToken()).isGreaterThan(last);
                last = handle.fencingToken();
            }
        }
    }

    @Test
    void server_that_has_forgotten_the_lock_does_not_make_a_second_majority() {
        LockKey key = LockKey.of(KEY);
        OwnerId holder = new OwnerId("alice", 1);
        assertThat(store.acquire(request(key, holder))).isInstanceOf(AcquireReply.Granted.class);
        nodes.get(0).get(2).store().forceRelease(key);

        servers.get(0).kill();
        servers.get(0).startAgain();

        assertThat(store.acquire(request(key, new OwnerId("bob", 1)))).isInstanceOf(AcquireReply.Held.class);
    }

    private static AcquireRequest request(LockKey key, OwnerId owner) {
        return Requests.exclusive(key, owner, REJOIN_DELAY.toMillis(), new HolderInfo("web-1", 1, "main"), false);
    }

    @Test
    void majority_that_is_lost_is_an_error_that_names_the_servers() {
        LockHandle held = acquireOnceServed(locks, SHORT);
        servers.get(0).kill();
        servers.get(2).kill();

        assertThatThrownBy(() -> others.acquire(PATIENT))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("of 3 lock servers failed, and 2 must succeed")
                .hasMessageContaining("127.0.0.1:" + proxies.get(0).port());
        Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> !held.isHeld());
    }

    @Test
    void holder_is_told_when_most_servers_hang_and_locks_work_again_after_it() {
        LockHandle held = acquireOnceServed(locks, SHORT);
        servers.get(0).pause();
        servers.get(1).pause();
        Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> !held.isHeld());
        assertThatThrownBy(() -> others.acquire(PATIENT)).isInstanceOf(LockStoreException.class);

        servers.get(0).resume();
        servers.get(1).resume();

        assertThat(acquireOnceServed(others, PATIENT).fencingToken()).isGreaterThan(held.fencingToken());
    }

    private static void holdFor(LockHandle handle, Duration time) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .during(time)
                .atMost(time.multipliedBy(10))
                .until(handle::isHeld);
    }
}
