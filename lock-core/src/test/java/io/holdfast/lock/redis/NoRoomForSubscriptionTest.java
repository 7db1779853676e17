package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LocalLocks.SubscriptionState;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.testing.NoRoomForThreads;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** No thread can be started when the subscription needs one, which is on the thread of the watchdog for whoever only holds a lock. */
@Timeout(120)
class NoRoomForSubscriptionTest {

    private static final LockRequest REQUEST =
            LockRequest.of("no-room-for-subscription").lease(Duration.ofSeconds(12));

    private final RedisConnectionFactory applications =
            TestRedis.Client.JEDIS.connect(TestRedis.shared().port());
    private final RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT);
    private final LockEngine locks = LockEngine.builder(store).build();

    @AfterEach
    void close() {
        locks.close();
        store.close();
        TestRedis.destroy(applications);
    }

    @Test
    void lock_is_renewed_and_the_subscription_comes_later() throws Exception {
        LockHandle held;
        try (var none = NoRoomForThreads.named("holdfast-wakeups")) {
            held = locks.acquire(REQUEST);
            none.awaitRefusal();

            Awaitility.await().until(() -> held.remaining().compareTo(Duration.ofMillis(11_500)) > 0);
            assertThat(locks.subscriptionState()).isEqualTo(SubscriptionState.DISCONNECTED);
        }

        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> locks.subscriptionState() == SubscriptionState.CONNECTED);
        assertThat(held.isHeld()).isTrue();
    }
}
