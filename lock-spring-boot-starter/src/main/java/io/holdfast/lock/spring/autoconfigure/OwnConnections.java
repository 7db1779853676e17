package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.redis.RedisLockSettings;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;
import redis.clients.jedis.ConnectionPoolConfig;

/**
 * Makes connection factories for servers that only locks use, by Jedis. They are no beans, so nothing of the application or of Spring
 * Boot takes them for the application's Redis. A lock store takes a factory's configuration and makes connections from that, so none is
 * started, unless locks are to go through {@code RedisTemplate}.
 */
final class OwnConnections implements DisposableBean {

    private static final String JEDIS = "redis.clients.jedis.RedisClient";

    private final SpringDataRedis applications;
    private final SslBundleLookup bundles;
    private final @Nullable ClassLoader loader;
    private final List<DisposableBean> started = new ArrayList<>();

    OwnConnections(ConfigurableListableBeanFactory beans, Environment environment, ObjectProvider<SslBundles> bundles) {
        this.loader = beans.getBeanClassLoader();
        this.applications = new SpringDataRedis(Binder.get(environment));
        this.bundles = new SslBundleLookup(bundles.getIfAvailable());
    }

    SslBundleLookup bundles() {
        return bundles;
    }

    /**
     * A factory for the server that {@code spring.data.redis} names.
     *
     * @throws LockSetupException if that is not a single server, or Jedis is not there
     * @throws InvalidLockPropertyException if a value is not allowed
     */
    RedisConnectionFactory openApplications(RedisLockSettings settings) {
        return open(applications.server(bundles), settings);
    }

    /**
     * A factory for that server.
     *
     * @throws LockSetupException if Jedis is not there
     */
    RedisConnectionFactory open(RedisServer server, RedisLockSettings settings) {
        if (!ClassUtils.isPresent(JEDIS, loader)) {
            throw new LockSetupException(
                    "Locks use Jedis for " + server.name() + ", but Jedis is not on the classpath.",
                    "Add redis.clients:jedis, or let locks use a RedisConnectionFactory of the application.",
                    null);
        }
        RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(server.host(), server.port());
        address.setDatabase(server.database());
        address.setUsername(server.username());
        address.setPassword(RedisPassword.of(server.password()));
        boolean shared = settings.driver() == RedisLockSettings.Driver.REDIS_TEMPLATE;
        DisposableBean factory = Factories.create(address, server, settings, shared);
        if (shared) {
            started.add(factory);
        }
        return (RedisConnectionFactory) factory;
    }

    /** Loaded only where Jedis is. */
    private static final class Factories {

        /** @param shared whether locks use the factory's own connections */
        static JedisConnectionFactory create(
                RedisStandaloneConfiguration address, RedisServer server, RedisLockSettings settings, boolean shared) {
            var client = JedisClientConfiguration.builder();
            if (server.tls()) {
                SslBundle bundle = server.bundle() == null ? SslBundle.systemDefault() : server.bundle();
                client.useSsl()
                        .sslSocketFactory(bundle.createSslContext().getSocketFactory())
                        .sslParameters(parameters(bundle.getOptions()));
            }
            if (!shared) {
                return new JedisConnectionFactory(address, client.build());
            }
            ConnectionPoolConfig pool = new ConnectionPoolConfig();
            pool.setMaxTotal(settings.connections());
            pool.setMaxIdle(settings.connections());
            pool.setMaxWait(settings.commandTimeout());
            pool.setJmxEnabled(false);
            client.connectTimeout(settings.commandTimeout())
                    .readTimeout(settings.commandTimeout())
                    .usePooling()
                    .poolConfig(pool);
            JedisConnectionFactory factory = new JedisConnectionFactory(address, client.build());
            factory.afterPropertiesSet();
            factory.start();
            return factory;
        }

        /** The certificate must be that of the host. */
        private static SSLParameters parameters(SslOptions options) {
            SSLParameters parameters = new SSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            if (options.getCiphers() != null) {
                parameters.setCipherSuites(options.getCiphers());
            }
            if (options.getEnabledProtocols() != null) {
                parameters.setProtocols(options.getEnabledProtocols());
            }
            return parameters;
        }
    }

    @Override
    public void destroy() throws Exception {
        for (DisposableBean factory : started) {
            factory.destroy();
        }
    }
}
