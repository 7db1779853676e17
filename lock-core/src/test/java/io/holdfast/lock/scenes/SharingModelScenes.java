package io.holdfast.lock.scenes;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** A random schedule of shared and exclusive holds, on each store. */
abstract class SharingModelScenes {

    static final int STEPS = 3_000;

    /** Runs the schedule, and checks what came of it. */
    abstract void follow(SharingSchedule schedule);

    @Test
    void in_memory_store_follows_the_model() {
        FakeTicker time = new FakeTicker();
        follow(new SharingSchedule(new InMemoryLockStore(time, time), time, true));
    }

    @ParameterizedTest
    @EnumSource
    void redis_store_follows_the_model(TestRedis.Client driver) {
        RedisConnectionFactory connections = driver.connect(TestRedis.shared().port());
        try (LockStore store = new RedisLockStore(connections, TestRedis.PATIENT)) {
            follow(new SharingSchedule(store, Ticker.SYSTEM, driver == TestRedis.Client.JEDIS));
        } finally {
            TestRedis.destroy(connections);
        }
    }
}
