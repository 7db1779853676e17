package io.holdfast.lock.redis.driver.jedis;

import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfigBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.util.Assert;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;

/** The application's client configuration, but for timeouts and pool: Jedis' own pool would wait for ever. */
final class JedisOwnClient implements JedisClientConfiguration {

    private final JedisClientConfiguration original;
    private final Duration timeout;
    private final ConnectionPoolConfig pool = new ConnectionPoolConfig();
    private volatile DefaultJedisClientConfig.@Nullable Builder configured;

    JedisOwnClient(JedisClientConfiguration original, Duration timeout, int connections) {
        this.original = original;
        this.timeout = timeout;
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        pool.setMaxWait(timeout);
        pool.setJmxEnabled(false);
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

    @Override
    public Optional<JedisClientConfigBuilderCustomizer> getClientConfigCustomizer() {
        return Optional.of(builder -> {
            original.getClientConfigCustomizer().ifPresent(each -> each.customize(builder));
            configured = configured == null ? builder : configured;
        });
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
