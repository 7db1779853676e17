package io.holdfast.lock.redis;

import io.holdfast.lock.redis.RedisLockSettings.Driver;
import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.RedisAccess;
import io.holdfast.lock.redis.driver.SharedConnections;
import io.holdfast.lock.redis.driver.Topology;
import io.holdfast.lock.redis.driver.jedis.JedisConnections;
import io.holdfast.lock.redis.driver.lettuce.LettuceApplication;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Decides how locks reach Redis: over Jedis connections of their own, or through {@code RedisTemplate} on the application's factory.
 *
 * <p>Jedis, if it is there and can be told all that the application has told its own driver; so that is the way for an application that
 * uses Lettuce as well. The kind of a factory is that of its class's name: no driver is loaded without need, and none has to be there.
 * Subclasses count as unknown, because they may have changed anything.
 */
final class Drivers {

    private static final String FACTORIES = "org.springframework.data.redis.connection.";
    private static final String JEDIS_FACTORY = FACTORIES + "jedis.JedisConnectionFactory";
    private static final String LETTUCE_FACTORY = FACTORIES + "lettuce.LettuceConnectionFactory";
    private static final String JEDIS = "redis.clients.jedis.RedisClient";

    private Drivers() {}

    /** One of the two ways. */
    interface Way {

        /**
         * Makes connections. They do not connect yet.
         *
         * @param timeout limits the wait for the reply to one command, and for a pooled connection
         * @param connections the maximum number
         */
        DriverConnections connect(Duration timeout, int connections);

        /** {@return where Redis is, which way leads there, and why; without secrets} */
        String description();
    }

    private record OwnJedis(Connector connector, String description) implements Way {

        private interface Connector {
            DriverConnections connect(Duration timeout, int connections);
        }

        @Override
        public DriverConnections connect(Duration timeout, int connections) {
            return connector.connect(timeout, connections);
        }
    }

    private record Template(DriverConnections shared, String description) implements Way {

        @Override
        public DriverConnections connect(Duration timeout, int connections) {
            return shared;
        }
    }

    /** Why locks cannot use Jedis, and what to do about it. */
    private record Obstacle(String reason, String remedy) {}

    /**
     * Decides.
     *
     * @param applications specifies where Redis is and how to log in
     * @throws IllegalArgumentException if Jedis is demanded, and cannot be used; the message says why
     */
    static Way choose(RedisConnectionFactory applications, Driver wanted) {
        boolean isJedis = isFrom(applications, JEDIS_FACTORY);
        boolean isLettuce = !isJedis && isFrom(applications, LETTUCE_FACTORY);
        String name = isJedis || isLettuce
                ? applications.getClass().getSimpleName()
                : applications.getClass().getName();
        LettuceApplication lettuce = isLettuce ? new LettuceApplication(applications) : null;
        String server = isJedis
                ? Topology.describe(JedisConnections.configuration(applications))
                : lettuce == null ? "Redis via " + name : Topology.describe(lettuce.servers());
        String template = (lettuce == null && !isJedis ? "Redis" : server) + " via RedisTemplate on the application's "
                + name + ", ";
        if (wanted == Driver.REDIS_TEMPLATE) {
            return new Template(new SharedConnections(applications, server), template + "as configured");
        }
        Obstacle obstacle = obstacle(isJedis, lettuce, name);
        if (obstacle == null) {
            return new OwnJedis(
                    lettuce == null
                            ? (timeout, most) -> JedisConnections.derive(applications, timeout, most)
                            : connector(lettuce.access()),
                    server + " via Jedis" + (isJedis ? "" : ", configured like the application's " + name));
        }
        if (wanted == Driver.JEDIS) {
            throw new IllegalArgumentException("Locks cannot use Jedis: " + obstacle.reason() + ". "
                    + StringUtils.capitalize(obstacle.remedy()) + ", or allow RedisTemplate.");
        }
        return new Template(
                new SharedConnections(applications, server),
                template + "because " + obstacle.reason() + " (" + obstacle.remedy() + ")");
    }

    private static OwnJedis.Connector connector(RedisAccess access) {
        return (timeout, most) -> JedisConnections.create(access, timeout, most);
    }

    private static @Nullable Obstacle obstacle(boolean isJedis, @Nullable LettuceApplication lettuce, String factory) {
        if (!isJedisThere()) {
            return new Obstacle("Jedis is not on the classpath", "to use it, add redis.clients:jedis");
        }
        if (lettuce == null) {
            return isJedis
                    ? null
                    : new Obstacle(
                            factory + " is neither a JedisConnectionFactory nor a LettuceConnectionFactory",
                            "to use Jedis, give locks one of these");
        }
        List<String> unknown = lettuce.obstacles();
        return unknown.isEmpty()
                ? null
                : new Obstacle(
                        "Jedis cannot use " + String.join(", or ", unknown),
                        "to use Jedis, change that, or set holdfast.redis.url");
    }

    /** A loader of the application's may hide it from the application, and what is below ours must see it. */
    private static boolean isJedisThere() {
        ClassLoader ours = Drivers.class.getClassLoader();
        ClassLoader applications = Thread.currentThread().getContextClassLoader();
        boolean isBelowOurs = false;
        for (ClassLoader each = applications; each != null && !isBelowOurs; each = each.getParent()) {
            isBelowOurs = each == ours;
        }
        return ClassUtils.isPresent(JEDIS, ours) && (!isBelowOurs || ClassUtils.isPresent(JEDIS, applications));
    }

    /** Registers for native images what is found only by name. */
    static void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.reflection()
                .registerTypeIfPresent(loader, JEDIS)
                .registerType(
                        TypeReference.of(LETTUCE_FACTORY),
                        type -> type.withField(LettuceApplication.CONFIGURATION_FIELD));
    }

    private static boolean isFrom(RedisConnectionFactory factory, String type) {
        return factory.getClass().getName().equals(type);
    }
}
