package io.holdfast.lock.migration;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import java.time.Duration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** One instance of an application that uses Holdfast, as far as locks go. */
public final class HoldfastClient implements AutoCloseable {

    private final JedisConnectionFactory redis = Redis.connect();
    private final RedisLockStore store =
            new RedisLockStore(redis, RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(30)));
    private final LockEngine locks = LockEngine.builder(store).build();

    public LockTemplate locks() {
        return locks;
    }

    @Override
    public void close() {
        locks.close();
        store.close();
        redis.destroy();
    }
}
