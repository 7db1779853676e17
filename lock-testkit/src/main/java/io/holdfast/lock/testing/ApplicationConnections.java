package io.holdfast.lock.testing;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.function.BiFunction;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connection factories with the settings that Spring Boot gives them if the application sets none. */
final class ApplicationConnections {

    private ApplicationConnections() {}

    /**
     * Through Jedis.
     *
     * @param trust for TLS; null for no TLS
     */
    static JedisConnectionFactory jedis(RedisConfiguration place, @Nullable TrustManagerFactory trust) {
        JedisConnectionFactory factory = jedis(place, jedisClient(trust));
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

    private static JedisClientConfiguration jedisClient(@Nullable TrustManagerFactory trust) {
        JedisClientConfiguration.JedisClientConfigurationBuilder builder = JedisClientConfiguration.builder();
        if (trust != null) {
            builder.useSsl().sslSocketFactory(sockets(trust)).sslParameters(new SSLParameters());
        }
        return builder.usePooling().build();
    }

    private static SSLSocketFactory sockets(TrustManagerFactory trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This JDK does not support TLS", e);
        }
    }

    /**
     * Through Lettuce. It shuts down faster than an application's factory.
     *
     * @param trust for TLS; null for no TLS
     * @param kind creates the factory
     */
    static LettuceConnectionFactory lettuce(
            RedisConfiguration place,
            @Nullable TrustManagerFactory trust,
            BiFunction<RedisConfiguration, LettuceClientConfiguration, LettuceConnectionFactory> kind) {
        LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
                .shutdownQuietPeriod(Duration.ZERO)
                .shutdownTimeout(Duration.ofMillis(100))
                .clientOptions(options(place instanceof RedisClusterConfiguration, trust));
        if (trust != null) {
            client.useSsl();
        }
        LettuceConnectionFactory factory = kind.apply(place, client.build());
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    private static ClientOptions options(boolean cluster, @Nullable TrustManagerFactory trust) {
        ClientOptions.Builder builder = cluster
                ? ClusterClientOptions.builder()
                        .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                                .dynamicRefreshSources(true)
                                .build())
                : ClientOptions.builder();
        if (trust != null) {
            builder.sslOptions(SslOptions.builder().trustManager(trust).build());
        }
        return builder.timeoutOptions(TimeoutOptions.enabled()).build();
    }
}
