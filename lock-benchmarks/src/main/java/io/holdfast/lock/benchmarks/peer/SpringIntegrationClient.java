package io.holdfast.lock.benchmarks.peer;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.support.locks.DistributedLock;

/** A {@link RedisLockRegistry} that waits for published messages. It does not renew locks unless it is given a scheduler. */
final class SpringIntegrationClient implements PeerClient {

    private final JedisConnectionFactory factory;
    private final RedisLockRegistry registry;

    SpringIntegrationClient(int port, long leaseMillis) {
        this.factory = Factories.jedis(port);
        this.registry = new RedisLockRegistry(factory, "spring", leaseMillis);
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
    }

    @Override
    public Latch latch(String key) {
        return new Lock(registry.obtain(key));
    }

    @Override
    public void close() {
        registry.destroy();
        factory.destroy();
    }

    private record Lock(DistributedLock delegate) implements Latch {

        @Override
        public void lock() {
            delegate.lock();
        }

        @Override
        public void unlock() {
            delegate.unlock();
        }
    }
}
