package io.holdfast.lock.spring.autoconfigure;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties.ClientType;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Connections that only locks use. Boot makes them, so that every property means what it means under
 * {@code spring.data.redis}, with the same drivers, TLS and topologies.
 *
 * <p>Boot makes connection factories as beans only, by classes of its own that back off before any other factory. So each
 * connection gets a small context to itself, with Boot's configuration in it. That context has no parent, so neither side
 * sees the other's beans: nothing of the application's backs off or changes, and none of its connection details,
 * customizers and environment variables reach the locks' connection; only its SSL bundles do. Nothing in it is started:
 * a lock store takes the factory's configuration and makes connections from that.
 */
final class OwnConnections implements DisposableBean {

    private static final String CLIENT_TYPE = "spring.data.redis.client-type";

    private final List<AbstractApplicationContext> contexts = new ArrayList<>();
    private final @Nullable SslBundles bundles;
    private final @Nullable ClassLoader loader;
    private final @Nullable ClientType clientType;

    OwnConnections(
            ConfigurableListableBeanFactory beans,
            Environment environment,
            LockConnectionProperties properties,
            ObjectProvider<SslBundles> bundles) {
        this.loader = beans.getBeanClassLoader();
        this.bundles = bundles.getIfAvailable();
        this.clientType =
                properties.clientType() != null ? properties.clientType() : applicationsClientType(environment);
    }

    private static @Nullable ClientType applicationsClientType(Environment environment) {
        return Binder.get(environment).bind(CLIENT_TYPE, ClientType.class).orElse(null);
    }

    /**
     * A connection factory that was not started, until the application ends.
     *
     * @param prefix of the properties that it is made from, for messages
     * @throws LockSetupException if there is no client, or in a native image
     * @throws InvalidLockPropertyException if there is no such SSL bundle
     */
    RedisConnectionFactory open(String prefix, DataRedisProperties redis) {
        refuseNativeImage(prefix, NativeDetector.inNativeImage());
        checkBundle(prefix + ".ssl.bundle", redis.getSsl().getBundle());
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        contexts.add(context);
        context.setClassLoader(loader);
        context.setEnvironment(environment());
        context.registerBean("lockRedis", DataRedisProperties.class, () -> redis, each -> each.setPrimary(true));
        context.addBeanFactoryPostProcessor(OwnConnections::startNothing);
        if (bundles != null) {
            context.getBeanFactory().registerSingleton("sslBundles", bundles);
        }
        context.register(DataRedisAutoConfiguration.class);
        context.refresh();
        return factoryIn(context);
    }

    /** It has no class files, from which a context is made at run time. */
    static void refuseNativeImage(String prefix, boolean nativeImage) {
        if (nativeImage) {
            throw new LockSetupException(
                    "Properties under " + prefix
                            + " name a Redis for locks, which works on the JVM only, and this is a native" + " image.",
                    "Define a RedisConnectionFactory bean with @LockConnectionFactory, and remove these properties.",
                    null);
        }
    }

    /** A cluster or sentinel factory would connect. */
    private static void startNothing(ConfigurableListableBeanFactory beans) {
        for (String name : beans.getBeanNamesForType(RedisConnectionFactory.class, true, false)) {
            beans.getBeanDefinition(name)
                    .getPropertyValues()
                    .add("earlyStartup", false)
                    .add("autoStartup", false);
        }
    }

    private RedisConnectionFactory factoryIn(AbstractApplicationContext context) {
        RedisConnectionFactory factory =
                context.getBeanProvider(RedisConnectionFactory.class).getIfAvailable();
        if (factory == null) {
            throw new LockSetupException(
                    "Locks are to have a Redis connection of their own, and the client for it is not on the class path"
                            + (clientType == null ? "." : ": " + clientType + "."),
                    "Add redis.clients:jedis or io.lettuce:lettuce-core, or change lock.redis.client-type.",
                    null);
        }
        return factory;
    }

    private void checkBundle(String property, @Nullable String name) {
        List<String> known = bundles == null ? List.of() : bundles.getBundleNames();
        if (StringUtils.hasText(name) && !known.contains(name)) {
            throw new InvalidLockPropertyException(
                    property, name, "the name of a bundle under spring.ssl.bundle, of which there are: " + known);
        }
    }

    /** Without system properties and environment variables, which are the application's. */
    private StandardEnvironment environment() {
        Map<String, Object> properties = new HashMap<>();
        properties.put("spring.data.redis.listener.auto-startup", false);
        if (clientType != null) {
            properties.put(CLIENT_TYPE, clientType.name().toLowerCase(Locale.ROOT));
        }
        StandardEnvironment environment = new StandardEnvironment() {
            @Override
            protected void customizePropertySources(MutablePropertySources sources) {}
        };
        environment.getPropertySources().addLast(new MapPropertySource("lock.redis", properties));
        return environment;
    }

    @Override
    public void destroy() {
        contexts.forEach(AbstractApplicationContext::close);
    }
}
