package io.holdfast.lock.spring.integration;

import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.data.redis.connection.RedisConnectionFactory;

class RedisLockRegistryTest extends LockRegistryContract {

    private static RedisConnectionFactory redis;
    private static LockStore store;

    @BeforeAll
    static void connectToRedis() {
        redis = TestRedis.jedis(TestRedis.shared().port());
        store = new RedisLockStore(redis, RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(30)));
    }

    @AfterAll
    static void disconnect() {
        store.close();
        TestRedis.destroy(redis);
    }

    @Override
    LockStore store() {
        return store;
    }
}
