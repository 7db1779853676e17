package io.holdfast.lock.redis.driver.jedis;

import java.util.function.Supplier;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.HostAndPortMapper;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.authentication.AuthXManager;

/**
 * A configuration that is asked before each connect: Jedis looks up the timeout of blocking commands, of which locks have
 * none, as the first step of every connection, and nowhere else.
 */
final class GuardedConfig implements JedisClientConfig {

    private final JedisClientConfig config;
    private final Runnable beforeConnect;

    /** @param beforeConnect throws if this thread may not connect now */
    GuardedConfig(JedisClientConfig config, Runnable beforeConnect) {
        this.config = config;
        this.beforeConnect = beforeConnect;
    }

    @Override
    public int getBlockingSocketTimeoutMillis() {
        beforeConnect.run();
        return config.getBlockingSocketTimeoutMillis();
    }

    @Override
    public RedisProtocol getRedisProtocol() {
        return config.getRedisProtocol();
    }

    @Override
    public int getConnectionTimeoutMillis() {
        return config.getConnectionTimeoutMillis();
    }

    @Override
    public int getSocketTimeoutMillis() {
        return config.getSocketTimeoutMillis();
    }

    @Override
    public @Nullable String getUser() {
        return config.getUser();
    }

    @Override
    public @Nullable String getPassword() {
        return config.getPassword();
    }

    @Override
    public @Nullable Supplier<RedisCredentials> getCredentialsProvider() {
        return config.getCredentialsProvider();
    }

    @Override
    public @Nullable AuthXManager getAuthXManager() {
        return config.getAuthXManager();
    }

    @Override
    public int getDatabase() {
        return config.getDatabase();
    }

    @Override
    public @Nullable String getClientName() {
        return config.getClientName();
    }

    @Override
    public boolean isSsl() {
        return config.isSsl();
    }

    @Override
    public @Nullable SSLSocketFactory getSslSocketFactory() {
        return config.getSslSocketFactory();
    }

    @Override
    public @Nullable SSLParameters getSslParameters() {
        return config.getSslParameters();
    }

    @Override
    public @Nullable SslOptions getSslOptions() {
        return config.getSslOptions();
    }

    @Override
    public @Nullable HostnameVerifier getHostnameVerifier() {
        return config.getHostnameVerifier();
    }

    @Override
    public @Nullable HostAndPortMapper getHostAndPortMapper() {
        return config.getHostAndPortMapper();
    }

    @Override
    public boolean isReadOnlyForRedisClusterReplicas() {
        return config.isReadOnlyForRedisClusterReplicas();
    }

    @Override
    public @Nullable ClientSetInfoConfig getClientSetInfoConfig() {
        return config.getClientSetInfoConfig();
    }
}
