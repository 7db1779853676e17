package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is back without its data before the leases that it granted are over. */
@Tag("full")
class QuickRestartTest extends RedisQuorumFixture {

    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final String KEY = "order:42";
    private static final LockRequest REQUEST =
            LockRequest.of(KEY).lease(LEASE).renew(false).waitFor(Duration.ZERO);

    private LockEngine locks;
    private LockEngine others;

    /** The leases are as long as the servers wait, and no longer. */
    QuickRestartTest() {
        super(LEASE);
    }

    @BeforeEach
    void open() {
        start(3);
        locks = LockEngine.builder(connect(TestRedis.Client.JEDIS)).build();
        others = LockEngine.builder(connect(TestRedis.Client.JEDIS)).build();
    }

    @AfterEach
    void close() {
        locks.close();
        others.close();
    }

    /** A server counts whole seconds, so it matters at which point of a second it starts. */
    @ParameterizedTest
    @ValueSource(ints = {100, 500, 900})
    void next_holder_comes_after_the_one_of_which_the_server_has_forgotten(int startedAt) {
        others.acquire(REQUEST.mapKeys(key -> "another")).close();
        awaitMillisOfSecond(startedAt - 100);
        LockHandle held = locks.acquire(REQUEST);
        nodes.get(0).get(2).store().forceRelease(LockKey.of(KEY));

        RedisServerProcess forgetful = servers.get(0);
        forgetful.kill();
        awaitMillisOfSecond(startedAt);
        forgetful.startAgain();
        Optional<LockHandle> next = Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .ignoreException(LockStoreException.class)
                .until(() -> others.tryAcquire(REQUEST), Optional::isPresent);

        assertThat(held.isHeld()).isFalse();
        assertThat(next.orElseThrow().fencingToken()).isGreaterThan(held.fencingToken());
    }

    private static void awaitMillisOfSecond(int millis) {
        long start = System.currentTimeMillis();
        long wait = Math.floorMod(millis - start, 1000L);
        while (System.currentTimeMillis() - start < wait) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}
