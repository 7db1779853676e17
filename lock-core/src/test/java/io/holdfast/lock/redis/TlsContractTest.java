package io.holdfast.lock.redis;

import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract on a server that speaks TLS and wants a password. */
class TlsContractTest {

    @Nested
    class OnJedis extends RedisContract {
        OnJedis() {
            super(RedisTopology.TLS, TestRedis.Client.JEDIS);
        }
    }

    @Tag("full")
    @Nested
    class OnTemplate extends TemplateContract {
        OnTemplate() {
            super(RedisTopology.TLS, TestRedis.Client.TEMPLATE);
        }
    }
}
