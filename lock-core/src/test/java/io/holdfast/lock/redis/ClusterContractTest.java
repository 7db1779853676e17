package io.holdfast.lock.redis;

import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract on a cluster. */
class ClusterContractTest {

    @Nested
    class OnJedis extends RedisContract {
        OnJedis() {
            super(RedisTopology.CLUSTER, TestRedis.Client.JEDIS);
        }
    }

    @Tag("full")
    @Nested
    class OnLettuce extends RedisContract {
        OnLettuce() {
            super(RedisTopology.CLUSTER, TestRedis.Client.LETTUCE);
        }
    }
}
