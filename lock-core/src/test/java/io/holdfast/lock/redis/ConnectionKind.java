package io.holdfast.lock.redis;

import io.holdfast.lock.redis.RedisLockSettings.Connection;
import io.holdfast.lock.testing.TestRedis;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import java.time.Duration;
import java.util.List;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.HostAndPort;

/**
 * How locks reach Redis: over dedicated connections, configured like those of an application with Jedis or Lettuce, or over the
 * connections of that application. A cluster consists of one node behind a proxy.
 */
enum ConnectionKind {
    DEDICATED,
    DEDICATED_LIKE_LETTUCE,
    DEDICATED_CLUSTER,
    JEDIS,
    JEDIS_CLUSTER,
    LETTUCE,
    /** The node must announce the port of the proxy. */
    LETTUCE_CLUSTER,
    /** Lettuce, but nobody can know that. */
    SUBCLASS;

    /** Without it, Lettuce does not learn of a new primary in a cluster if the former one hangs, even with adaptive triggers. */
    private static final ClusterTopologyRefreshOptions REFRESH = ClusterTopologyRefreshOptions.builder()
            .enablePeriodicRefresh(Duration.ofSeconds(1))
            .build();

    boolean isCluster() {
        return this == DEDICATED_CLUSTER || this == JEDIS_CLUSTER || this == LETTUCE_CLUSTER;
    }

    boolean isDedicated() {
        return this == DEDICATED || this == DEDICATED_LIKE_LETTUCE || this == DEDICATED_CLUSTER;
    }

    private boolean isLettuce() {
        return this == DEDICATED_LIKE_LETTUCE || this == LETTUCE || this == LETTUCE_CLUSTER;
    }

    /** The settings of a store on the factory of {@link #connect}, with the same timeout. */
    RedisLockSettings settings(Duration timeout) {
        return RedisLockSettings.STANDARD
                .withCommandTimeout(timeout)
                .withConnection(isDedicated() ? Connection.DEDICATED : Connection.APPLICATION);
    }

    /** The factory of an application. */
    RedisConnectionFactory connect(int port, Duration timeout) {
        return connect(
                isCluster()
                        ? new RedisClusterConfiguration(List.of("127.0.0.1:" + port))
                        : new RedisStandaloneConfiguration("127.0.0.1", port),
                timeout);
    }

    RedisConnectionFactory connect(RedisConfiguration place, Duration timeout) {
        if (this == SUBCLASS) {
            return TestRedis.Client.TEMPLATE.connect(place, null);
        }
        return isLettuce() ? lettuce(place, timeout) : jedis(place, timeout);
    }

    private RedisConnectionFactory jedis(RedisConfiguration place, Duration timeout) {
        JedisClientConfigurationBuilder client =
                JedisClientConfiguration.builder().connectTimeout(timeout).readTimeout(timeout);
        if (isCluster()) {
            RedisNode proxy = ((RedisClusterConfiguration) place)
                    .getClusterNodes()
                    .iterator()
                    .next();
            client.customizeClientConfig(
                    each -> each.hostAndPortMapper(node -> new HostAndPort(proxy.getHost(), proxy.getPort())));
        }
        JedisConnectionFactory factory = jedis(place, client.usePooling().build());
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    private static JedisConnectionFactory jedis(RedisConfiguration place, JedisClientConfiguration client) {
        if (place instanceof RedisClusterConfiguration cluster) {
            return new JedisConnectionFactory(cluster, client);
        }
        return place instanceof RedisSentinelConfiguration sentinels
                ? new JedisConnectionFactory(sentinels, client)
                : new JedisConnectionFactory((RedisStandaloneConfiguration) place, client);
    }

    private static RedisConnectionFactory lettuce(RedisConfiguration place, Duration timeout) {
        ClientOptions.Builder options = place instanceof RedisClusterConfiguration
                ? ClusterClientOptions.builder().topologyRefreshOptions(REFRESH)
                : ClientOptions.builder();
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .commandTimeout(timeout)
                .shutdownQuietPeriod(Duration.ZERO)
                .shutdownTimeout(Duration.ofMillis(100))
                .clientOptions(options.timeoutOptions(TimeoutOptions.enabled())
                        .socketOptions(
                                SocketOptions.builder().connectTimeout(timeout).build())
                        .build())
                .build();
        LettuceConnectionFactory factory = new LettuceConnectionFactory(place, client);
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }
}
