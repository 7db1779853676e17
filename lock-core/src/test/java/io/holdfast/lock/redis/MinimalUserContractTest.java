package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract on a server where the locks' user may do nothing but lock. */
class MinimalUserContractTest {

    @AfterAll
    static void nothing_was_refused() {
        assertThat(RedisTopology.MINIMAL_USER.refusals()).isEmpty();
    }

    @Nested
    class OnJedis extends RedisContract {
        OnJedis() {
            super(RedisTopology.MINIMAL_USER, TestRedis.Client.JEDIS);
        }
    }

    @Tag("full")
    @Nested
    class OnTemplate extends TemplateContract {
        OnTemplate() {
            super(RedisTopology.MINIMAL_USER, TestRedis.Client.TEMPLATE);
        }
    }
}
