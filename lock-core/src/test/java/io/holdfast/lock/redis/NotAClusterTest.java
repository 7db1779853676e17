package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.testing.TestRedis;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A cluster is configured, but the server is a single one. Jedis finds that out when it is started. */
class NotAClusterTest {

    @Test
    void server_that_is_not_part_of_a_cluster_is_reported_as_such() {
        LettuceConnectionFactory applications = new LettuceConnectionFactory(new RedisClusterConfiguration(
                List.of("127.0.0.1:" + TestRedis.shared().port())));
        applications.afterPropertiesSet();
        applications.start();
        try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT)) {
            assertThatThrownBy(() -> store.inspect(LockKey.of("order:42")))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContainingAll(
                            "rejected the call: ERR This instance has cluster support disabled",
                            "set spring.data.redis.host and port instead of spring.data.redis.cluster.nodes");
        } finally {
            TestRedis.destroy(applications);
        }
    }
}
