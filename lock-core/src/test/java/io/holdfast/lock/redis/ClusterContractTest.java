package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract on a cluster. */
class ClusterContractTest {

    @AfterAll
    static void nothing_was_refused() {
        assertThat(RedisTopology.CLUSTER.refusals()).isEmpty();
    }

    @Nested
    class OnJedis extends RedisContract {
        OnJedis() {
            super(RedisTopology.CLUSTER, TestRedis.Client.JEDIS);
        }
    }

    /** Only its connections tell that there is a cluster. */
    @Nested
    class OnTemplate extends TemplateContract {
        OnTemplate() {
            super(RedisTopology.CLUSTER, TestRedis.Client.TEMPLATE);
        }
    }

    /** Only its connections tell that there is a cluster. */
    @Tag("full")
    @Nested
    class OnTemplateOverJedis extends TemplateContract {
        OnTemplateOverJedis() {
            super(RedisTopology.CLUSTER, TestRedis.Client.JEDIS);
        }
    }
}
