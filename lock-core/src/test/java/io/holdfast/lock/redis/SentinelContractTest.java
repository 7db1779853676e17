package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract on servers that sentinels watch. */
class SentinelContractTest {

    @AfterAll
    static void nothing_was_refused() {
        assertThat(RedisTopology.SENTINEL.refusals()).isEmpty();
    }

    @Nested
    class OnJedis extends RedisContract {
        OnJedis() {
            super(RedisTopology.SENTINEL, TestRedis.Client.JEDIS);
        }
    }

    @Tag("full")
    @Nested
    class OnTemplate extends TemplateContract {
        OnTemplate() {
            super(RedisTopology.SENTINEL, TestRedis.Client.TEMPLATE);
        }
    }
}
