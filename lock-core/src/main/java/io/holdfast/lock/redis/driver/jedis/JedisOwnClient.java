package io.holdfast.lock.redis.driver.jedis;

import io.holdfast.lock.redis.driver.RedisAccess;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.util.Assert;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisProtocol;

/**
 * The application's client configuration, except for timeouts and pool: Jedis' own pool would wait forever. This one waits for a
 * connection for half of a command timeout, so that the command has the other half.
 */
final class JedisOwnClient {

    private final JedisClientConfiguration configuration;
    private final Duration timeout;
    private final ConnectionPoolConfig pool = new ConnectionPoolConfig();
    private volatile DefaultJedisClientConfig.@Nullable Builder configured;

    JedisOwnClient(JedisClientConfiguration original, Duration timeout, int connections) {
        this.timeout = timeout;
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        pool.setMaxWait(timeout.dividedBy(2));
        pool.setJmxEnabled(false);
        this.configuration = configuration(original);
    }

    /** The client configuration of an application that uses another driver. */
    static JedisClientConfiguration of(RedisAccess access) {
        var builder = JedisClientConfiguration.builder();
        if (access.clientName() != null) {
            builder.clientName(access.clientName());
        }
        if (access.tls() != null) {
            builder.useSsl()
                    .sslSocketFactory(access.tls().sockets())
                    .sslParameters(access.tls().parameters());
        }
        if (access.resp3() != null) {
            RedisProtocol protocol = access.resp3() ? RedisProtocol.RESP3 : RedisProtocol.RESP2;
            builder.customizeClientConfig(config -> config.protocol(protocol));
        }
        return builder.build();
    }

    private JedisClientConfiguration configuration(JedisClientConfiguration original) {
        var builder = JedisClientConfiguration.builder()
                .connectTimeout(timeout)
                .readTimeout(timeout)
                .usePooling()
                .poolConfig(pool)
                .and()
                .customizeClientConfig(config -> {
                    original.getClientConfigCustomizer().ifPresent(each -> each.customize(config));
                    configured = configured == null ? config : configured;
                });
        original.getClientCustomizer().ifPresent(builder::customizeClient);
        original.getClientName().ifPresent(builder::clientName);
        if (original.isUseSsl()) {
            var ssl = builder.useSsl();
            original.getSslSocketFactory().ifPresent(ssl::sslSocketFactory);
            original.getSslParameters().ifPresent(ssl::sslParameters);
            original.getHostnameVerifier().ifPresent(ssl::hostnameVerifier);
        }
        return builder.build();
    }

    JedisClientConfiguration configuration() {
        return configuration;
    }

    Duration timeout() {
        return timeout;
    }

    ConnectionPoolConfig pool() {
        return pool;
    }

    /** What Spring Data made of all this for the servers that have the locks, once it has. */
    JedisClientConfig config() {
        DefaultJedisClientConfig.Builder builder = configured;
        Assert.state(builder != null, "The client is not configured yet");
        return builder.build();
    }
}
