package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.TestRedis;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A cluster is configured, but the server is a single one, or keeps its addresses to itself. Jedis finds that out when it is started. */
class NotAClusterTest {

    private static final String ONE_NODE = "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n%s\r\n:6379";
    private static final String SETTING = "cluster-preferred-endpoint-type";
    private static final LockKey KEY = LockKey.of("order:42");

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

    private static RedisLockStore clusterAt(int port) {
        return new RedisLockStore(
                new JedisConnectionFactory(new RedisClusterConfiguration(List.of("127.0.0.1:" + port))),
                TestRedis.PATIENT);
    }

    /** With {@code unknown-endpoint}, hosts are null; with {@code hostname}, unnamed ones are question marks. */
    @ParameterizedTest
    @ValueSource(strings = {"$-1", "$1\r\n?"})
    void cluster_that_does_not_report_its_addresses_is_reported_with_the_setting(String host) {
        try (FaultProxy node = new FaultProxy(TestRedis.shared().port());
                RedisLockStore store = clusterAt(node.port())) {
            node.answer(ONE_NODE.formatted(host));

            assertThatThrownBy(() -> store.inspect(KEY))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContainingAll(
                            "127.0.0.1:" + node.port(), SETTING, "holdfast.redis.connection=application");
        }
    }

    /** The setting was changed while connections were open. */
    @ParameterizedTest
    @ValueSource(strings = {"", "?"})
    void redirection_without_an_address_is_not_followed_to_this_machine(String host) {
        try (FaultProxy node = new FaultProxy(TestRedis.shared().port());
                RedisLockStore store = clusterAt(node.port())) {
            node.answer(ONE_NODE.replace("6379", "" + node.port()).formatted("$9\r\n127.0.0.1"));
            assertThatThrownBy(() -> store.inspect(KEY)).hasMessageContaining("instead of a string");
            node.answer("-MOVED 42 " + host + ":" + TestRedis.shared().port());

            assertThatThrownBy(() -> store.inspect(KEY)).hasMessageContaining(SETTING);
        }
    }
}
