package io.holdfast.lock.redis;

import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfigBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.Assert;
import redis.clients.jedis.JedisPoolConfig;

/** Derives a Jedis factory with the locks' own timeouts and pool: Jedis' own pool would wait for ever. */
final class JedisConnections {

    private JedisConnections() {}

    static boolean fits(RedisConnectionFactory factory) {
        return factory.getClass() == JedisConnectionFactory.class;
    }

    static boolean isCluster(RedisConnectionFactory factory) {
        return ((JedisConnectionFactory) factory).isRedisClusterAware();
    }

    static RedisConnectionFactory derive(RedisConnectionFactory applications, Duration timeout, int connections) {
        JedisConnectionFactory original = (JedisConnectionFactory) applications;
        JedisConnectionFactory derived =
                create(original, new Client(original.getClientConfiguration(), timeout, pool(timeout, connections)));
        derived.setUseUnifiedJedis(original.isUseUnifiedJedis());
        derived.afterPropertiesSet();
        derived.start();
        return derived;
    }

    private static JedisConnectionFactory create(JedisConnectionFactory original, JedisClientConfiguration client) {
        RedisClusterConfiguration cluster = original.getClusterConfiguration();
        if (cluster != null) {
            return new JedisConnectionFactory(cluster, client);
        }
        RedisSentinelConfiguration sentinel = original.getSentinelConfiguration();
        if (sentinel != null) {
            return new JedisConnectionFactory(sentinel, client);
        }
        var standalone = original.getStandaloneConfiguration();
        Assert.state(standalone != null, "The JedisConnectionFactory has no configuration");
        return new JedisConnectionFactory(standalone, client);
    }

    private static GenericObjectPoolConfig<?> pool(Duration timeout, int connections) {
        JedisPoolConfig pool = new JedisPoolConfig();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        pool.setMaxWait(timeout);
        pool.setJmxEnabled(false);
        return pool;
    }

    /** The application's client configuration, but for timeouts and pool. */
    private record Client(JedisClientConfiguration original, Duration timeout, GenericObjectPoolConfig<?> pool)
            implements JedisClientConfiguration {

        @Override
        public Optional<JedisClientConfigBuilderCustomizer> getClientConfigCustomizer() {
            return original.getClientConfigCustomizer();
        }

        @Override
        public Optional<JedisClientBuilderCustomizer> getClientCustomizer() {
            return original.getClientCustomizer();
        }

        @Override
        public boolean isUseSsl() {
            return original.isUseSsl();
        }

        @Override
        public Optional<SSLSocketFactory> getSslSocketFactory() {
            return original.getSslSocketFactory();
        }

        @Override
        public Optional<SSLParameters> getSslParameters() {
            return original.getSslParameters();
        }

        @Override
        public Optional<HostnameVerifier> getHostnameVerifier() {
            return original.getHostnameVerifier();
        }

        @Override
        public boolean isUsePooling() {
            return true;
        }

        @Override
        public Optional<GenericObjectPoolConfig<?>> getPoolConfig() {
            return Optional.of(pool);
        }

        @Override
        public Optional<String> getClientName() {
            return original.getClientName();
        }

        @Override
        public Duration getConnectTimeout() {
            return timeout;
        }

        @Override
        public Duration getReadTimeout() {
            return timeout;
        }
    }
}
