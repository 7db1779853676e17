package io.holdfast.lock.spring.autoconfigure;

import io.lettuce.core.resource.ClientResources;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Makes connection factories for servers that only locks use. They are no beans, so nothing of the application or of Spring
 * Boot takes them for the application's Redis; and they are never started, since a lock store takes a factory's
 * configuration and makes connections from that.
 *
 * <p>The driver is what {@code spring.data.redis.client-type} says, else Lettuce where the application brings it, as in
 * Spring Boot, else Jedis.
 */
final class OwnConnections implements DisposableBean {

    private final SpringDataRedis applications;
    private final SslBundleLookup bundles;
    private final @Nullable ClassLoader loader;
    private @Nullable SharedThreads threads;

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
     * @throws LockSetupException if that is not a single server, or its driver is not there
     * @throws InvalidLockPropertyException if a value is not allowed
     */
    RedisConnectionFactory openApplications() {
        return open(applications.server(bundles));
    }

    /**
     * A factory for that server.
     *
     * @throws LockSetupException if the driver is not there
     */
    RedisConnectionFactory open(RedisServer server) {
        RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(server.host(), server.port());
        address.setDatabase(server.database());
        address.setUsername(server.username());
        address.setPassword(RedisPassword.of(server.password()));
        if (driver() == Driver.JEDIS) {
            return JedisFactories.create(address, server);
        }
        if (threads == null) {
            threads = new SharedThreads();
        }
        return LettuceFactories.create(address, server, threads.resources);
    }

    private Driver driver() {
        Driver chosen = applications.driver();
        if (chosen == null) {
            chosen = Driver.LETTUCE.isPresent(loader) ? Driver.LETTUCE : Driver.JEDIS;
        }
        if (!chosen.isPresent(loader)) {
            throw new LockSetupException(
                    "The driver for the lock connections is " + chosen + ", which is not on the classpath.",
                    "Add " + chosen.artifact() + ", or change spring.data.redis.client-type.",
                    null);
        }
        return chosen;
    }

    /** Of all Lettuce factories, or each would have some of its own. */
    private static final class SharedThreads {

        final ClientResources resources = ClientResources.create();
    }

    @Override
    public void destroy() {
        if (threads != null) {
            var unused = threads.resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
    }
}
