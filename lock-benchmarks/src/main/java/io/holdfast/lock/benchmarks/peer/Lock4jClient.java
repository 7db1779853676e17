package io.holdfast.lock.benchmarks.peer;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Lock4j on a {@link StringRedisTemplate}, with its defaults: a waiter tries again every 100 ms. No renewal, no reentry. */
final class Lock4jClient implements PeerClient {

    private final JedisConnectionFactory factory;
    private final LockTemplate locks = new LockTemplate();
    private final long leaseMillis;

    Lock4jClient(int port, long leaseMillis) {
        this.factory = Factories.jedis(port);
        this.leaseMillis = leaseMillis;
        Lock4jProperties properties = new Lock4jProperties();
        StringRedisTemplate template = new StringRedisTemplate(factory);
        locks.setProperties(properties);
        locks.setExecutors(List.of(new RedisTemplateLockExecutor(template, properties)));
        initialize(locks);
    }

    private static void initialize(LockTemplate locks) {
        try {
            locks.afterPropertiesSet();
        } catch (Exception e) {
            throw new IllegalStateException("Lock4j failed to start", e);
        }
    }

    @Override
    public Latch latch(String key) {
        return new Lock(key);
    }

    @Override
    public void close() {
        factory.destroy();
    }

    private final class Lock implements Latch {

        private final String key;
        private @Nullable LockInfo held;

        private Lock(String key) {
            this.key = key;
        }

        @Override
        public void lock() {
            LockInfo got = null;
            while (got == null) {
                got = locks.lock(key, leaseMillis, leaseMillis);
            }
            held = got;
        }

        @Override
        public void unlock() {
            if (held == null || !locks.releaseLock(held)) {
                throw new IllegalStateException("The lock " + key + " was lost");
            }
            held = null;
        }
    }
}
