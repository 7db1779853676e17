package io.holdfast.lock.redis;

import io.holdfast.lock.redis.RedisLockSettings.Driver;
import io.holdfast.lock.redis.driver.JedisConnections;
import io.holdfast.lock.redis.driver.LettuceApplication;
import io.holdfast.lock.redis.driver.TemplateConnections;
import io.holdfast.lock.redis.driver.Wire;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.ClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.SentinelConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.StaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithDomainSocket;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.util.ClassUtils;

/**
 * Decides how locks reach Redis: over dedicated Jedis connections, or through {@code RedisTemplate} on the application's factory.
 *
 * <p>Jedis is used if it is on the classpath and supports everything that the application has configured for its own driver, even if that
 * is Lettuce. The kind of a factory is determined by the name of its class, so no driver is loaded unnecessarily, and none has to be on the
 * classpath. Subclasses count as unknown, because they may have changed anything.
 */
final class Drivers {

    private static final String FACTORIES = "org.springframework.data.redis.connection.";
    private static final String JEDIS_FACTORY = FACTORIES + "jedis.JedisConnectionFactory";
    static final String LETTUCE_FACTORY = FACTORIES + "lettuce.LettuceConnectionFactory";
    static final String JEDIS = "redis.clients.jedis.RedisClient";

    private Drivers() {}

    /**
     * One of the two ways to connect.
     *
     * @param connector creates connections, without connecting yet, from the time limit of one command and the maximum number of
     *     connections
     * @param description where Redis is, how locks connect to it, and why; without secrets
     */
    record Way(BiFunction<Duration, Integer, Wire> connector, String description) {}

    /**
     * Chooses one of them.
     *
     * @param factory specifies where Redis is and how to log in
     * @throws IllegalArgumentException if Jedis is required, but cannot be used; the message states why
     */
    static Way choose(RedisConnectionFactory factory, Driver wanted) {
        String type = factory.getClass().getName();
        boolean isJedis = type.equals(JEDIS_FACTORY);
        LettuceApplication lettuce = type.equals(LETTUCE_FACTORY) ? new LettuceApplication(factory) : null;
        boolean isKnown = isJedis || lettuce != null;
        String name = isKnown ? factory.getClass().getSimpleName() : type;
        String server = isJedis
                ? describe(JedisConnections.servers(factory))
                : lettuce == null ? "Redis via " + name : describe(lettuce.servers());
        String obstacle = wanted == Driver.REDIS_TEMPLATE ? null : obstacle(factory, isJedis, lettuce, name);
        if (obstacle != null && wanted == Driver.JEDIS) {
            throw new IllegalArgumentException(
                    "Locks cannot use Jedis: " + obstacle + ". Alternatively, allow RedisTemplate (driver auto).");
        }
        if (obstacle != null || wanted == Driver.REDIS_TEMPLATE) {
            Wire shared = new TemplateConnections(factory, server);
            return new Way(
                    (timeout, most) -> shared,
                    (isKnown ? server : "Redis") + " via RedisTemplate on the application's " + name + ", "
                            + (obstacle == null ? "as configured" : "because " + obstacle));
        }
        return lettuce == null
                ? new Way(
                        (timeout, most) -> JedisConnections.like(factory, server, timeout, most), server + " via Jedis")
                : new Way(
                        (timeout, most) -> lettuce.connect(server, timeout, most),
                        server + " via Jedis, configured like the application's " + name);
    }

    /** Why locks cannot use Jedis, and what to do about it; null if they can. */
    private static @Nullable String obstacle(
            RedisConnectionFactory factory, boolean isJedis, @Nullable LettuceApplication lettuce, String name) {
        if (!isJedisThere()) {
            return "Jedis is not on the classpath (to use it, add redis.clients:jedis)";
        }
        if (!isJedis && lettuce == null) {
            return name
                    + " is neither a JedisConnectionFactory nor a LettuceConnectionFactory (to use Jedis, provide one"
                    + " of these for locks)";
        }
        List<String> unknown = lettuce == null ? JedisConnections.obstacles(factory) : lettuce.obstacles();
        return unknown.isEmpty()
                ? null
                : (isJedis ? "connections for locks" : "Jedis") + " cannot use " + String.join(", or ", unknown)
                        + " (to use Jedis, change that, or set holdfast.redis.url)";
    }

    /** A class loader of the application that is below ours may hide Jedis, so it must be visible there too. */
    private static boolean isJedisThere() {
        ClassLoader ours = Drivers.class.getClassLoader();
        ClassLoader applications = Thread.currentThread().getContextClassLoader();
        boolean isBelowOurs = false;
        for (ClassLoader each = applications; each != null && !isBelowOurs; each = each.getParent()) {
            isBelowOurs = each == ours;
        }
        return ClassUtils.isPresent(JEDIS, ours) && (!isBelowOurs || ClassUtils.isPresent(JEDIS, applications));
    }

    /** Describes where servers are, in readable form, without users and passwords. */
    private static String describe(RedisConfiguration servers) {
        if (servers instanceof ClusterConfiguration cluster) {
            return "the Redis Cluster at " + nodes(cluster.getClusterNodes());
        }
        if (servers instanceof SentinelConfiguration sentinels) {
            String name = sentinels.getMaster() == null
                    ? "master"
                    : sentinels.getMaster().getName();
            return "the Redis primary '" + name + "' known to the sentinels at " + nodes(sentinels.getSentinels());
        }
        if (servers instanceof StaticMasterReplicaConfiguration replicated) {
            return "Redis at one of "
                    + replicated.getNodes().stream()
                            .map(node -> node.getHostName() + ':' + node.getPort())
                            .collect(Collectors.joining(", "));
        }
        if (servers instanceof WithDomainSocket local) {
            return "Redis at " + local.getSocket();
        }
        if (servers instanceof WithHostAndPort single) {
            int database = servers instanceof RedisStandaloneConfiguration known ? known.getDatabase() : 0;
            return "Redis at " + single.getHostName() + ':' + single.getPort()
                    + (database == 0 ? "" : ", database " + database);
        }
        return "Redis";
    }

    private static String nodes(Collection<? extends RedisNode> nodes) {
        return nodes.stream().map(RedisNode::asString).collect(Collectors.joining(", "));
    }
}
