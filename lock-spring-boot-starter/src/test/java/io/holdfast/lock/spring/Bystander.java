package io.holdfast.lock.spring;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Another client of the Redis that the tests share. */
public final class Bystander implements AutoCloseable {

    private final RedisConnectionFactory connections =
            TestRedis.jedis(TestRedis.shared().port());
    private final RedisLockStore store =
            new RedisLockStore(connections, RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(30)));
    private final LockEngine locks = LockEngine.builder(store).build();

    public LockTemplate locks() {
        return locks;
    }

    public Optional<LockHolder> holderOf(String key) {
        return locks.inspect(key).holder();
    }

    /** Returns when the holder's lease was renewed so often; fails if anybody else is seen. */
    public void awaitRenewals(String key, int count) {
        LockHolder last = holderOf(key).orElseThrow();
        for (int renewals = 0; renewals < count; ) {
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            LockHolder now = holderOf(key).orElseThrow(() -> new AssertionError("Nobody holds " + key));
            if (now.fencingToken() != last.fencingToken()) {
                throw new AssertionError("Somebody else holds " + key);
            }
            renewals += now.remaining().compareTo(last.remaining()) > 0 ? 1 : 0;
            last = now;
        }
    }

    @Override
    public void close() {
        locks.close();
        store.close();
        TestRedis.destroy(connections);
    }
}
