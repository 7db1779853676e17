package io.holdfast.lock.redis;

import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract on one server. */
class StandaloneContractTest {

    @Nested
    class OnJedis extends RedisContract {
        OnJedis() {
            super(RedisTopology.STANDALONE, TestRedis.Client.JEDIS);
        }
    }

    /** All calls share it. */
    @Nested
    class OnOneConnectionOfJedis extends RedisContract {
        OnOneConnectionOfJedis() {
            super(RedisTopology.STANDALONE, TestRedis.Client.JEDIS, TestRedis.PATIENT.withMaxConnections(1));
        }
    }

    @Nested
    class OnTemplate extends TemplateContract {
        OnTemplate() {
            super(RedisTopology.STANDALONE, TestRedis.Client.TEMPLATE);
        }
    }

    @Tag("full")
    @Nested
    class OnTemplateOverJedis extends TemplateContract {
        OnTemplateOverJedis() {
            super(RedisTopology.STANDALONE, TestRedis.Client.JEDIS);
        }
    }
}
