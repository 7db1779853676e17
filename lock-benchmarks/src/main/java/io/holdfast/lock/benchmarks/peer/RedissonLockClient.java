package io.holdfast.lock.benchmarks.peer;

import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import redis.clients.jedis.Jedis;

/** Redisson with its defaults. The watchdog renews a {@code lock()} without a lease. */
final class RedissonLockClient implements PeerClient {

    private final RedissonClient redisson;
    private final BiFunction<RedissonClient, String, RLock> kind;

    RedissonLockClient(int port, long leaseMillis, BiFunction<RedissonClient, String, RLock> kind) {
        Config config = new Config();
        config.setLockWatchdogTimeout(leaseMillis);
        config.useSingleServer().setAddress("redis://" + Factories.HOST + ":" + port);
        this.redisson = Redisson.create(config);
        this.kind = kind;
    }

    @Override
    public Latch latch(String key) {
        return new Lock(redisson.getId(), kind.apply(redisson, key));
    }

    @Override
    public void close() {
        redisson.shutdown();
    }

    private record Lock(String client, RLock delegate) implements Latch {

        @Override
        public void lock() {
            delegate.lock();
        }

        @Override
        public void unlock() {
            delegate.unlock();
        }

        @Override
        public boolean isInRedis(Jedis redis) {
            String holder = client + ':' + Thread.currentThread().getId();
            return redis.hexists(delegate.getName(), holder) && redis.pttl(delegate.getName()) > 0;
        }
    }
}
