package io.holdfast.lock.redis;

import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract on servers that sentinels watch. */
class SentinelContractTest {

    @Nested
    class OnJedis extends RedisContract {
        OnJedis() {
            super(RedisTopology.SENTINEL, TestRedis.Client.JEDIS);
        }
    }

    @Tag("full")
    @Nested
    class OnLettuce extends RedisContract {
        OnLettuce() {
            super(RedisTopology.SENTINEL, TestRedis.Client.LETTUCE);
        }
    }
}
