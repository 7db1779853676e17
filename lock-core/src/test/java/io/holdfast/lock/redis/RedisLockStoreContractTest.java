package io.holdfast.lock.redis;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.LockStoreContract;
import io.holdfast.lock.testing.TestRedis;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import redis.clients.jedis.Jedis;

/** The contract on a real Redis, by both drivers. */
class RedisLockStoreContractTest {

    @Nested
    @TestInstance(Lifecycle.PER_METHOD)
    class OnJedis extends OnRedis {
        OnJedis() {
            super(Stores.JEDIS);
        }
    }

    @Nested
    @TestInstance(Lifecycle.PER_METHOD)
    class OnLettuce extends OnRedis {
        OnLettuce() {
            super(Stores.LETTUCE);
        }
    }

    /** One store for each driver, for all tests. */
    private static final class Stores {
        private static final RedisLockStore JEDIS = open(TestRedis.Client.JEDIS);
        private static final RedisLockStore LETTUCE = open(TestRedis.Client.LETTUCE);

        private static RedisLockStore open(TestRedis.Client client) {
            return new RedisLockStore(client.connect(TestRedis.shared().port()), RedisLockSettings.STANDARD);
        }
    }

    private abstract static class OnRedis extends LockStoreContract {

        private final RedisLockStore store;

        OnRedis(RedisLockStore store) {
            this.store = store;
        }

        @Override
        protected LockStore store() {
            return store;
        }

        /** Time passes for a lock when all times in its hash move into the past. */
        @Override
        protected void pass(Duration time) {
            byte[] lock = new KeyLayout("lock").bytes(key);
            String name = new String(lock, java.nio.charset.StandardCharsets.UTF_8);
            try (Jedis jedis = new Jedis("127.0.0.1", TestRedis.shared().port())) {
                Map<String, String> fields = jedis.hgetAll(name);
                for (Map.Entry<String, String> field : fields.entrySet()) {
                    if (isTime(field.getKey())) {
                        BigDecimal earlier = new BigDecimal(field.getValue())
                                .subtract(BigDecimal.valueOf(TimeUnit.NANOSECONDS.toMicros(time.toNanos())));
                        jedis.hset(name, field.getKey(), earlier.toPlainString());
                    }
                }
            }
        }

        private static boolean isTime(String field) {
            return Set.of("lease_end", "since", "graves_end", "prune_at").contains(field) || field.contains(":");
        }
    }

    @BeforeAll
    static void startServer() {
        TestRedis.shared();
    }

    @AfterAll
    static void closeStores() {
        Stores.JEDIS.close();
        Stores.LETTUCE.close();
    }
}
