package io.holdfast.lock.redis;

import io.holdfast.lock.redis.RedisLockSettings.Connection;
import io.holdfast.lock.redis.driver.ApplicationConnections;
import io.holdfast.lock.redis.driver.JedisConnections;
import io.holdfast.lock.redis.driver.LettuceApplication;
import io.holdfast.lock.redis.driver.Wire;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.NamedNode;
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
 * Decides over which connections locks reach Redis: dedicated ones of Jedis, configured like the application's connection factory, or
 * those of that factory.
 *
 * <p>Dedicated connections are used if Jedis is on the classpath and supports everything that the application has configured for its own
 * driver, even if that is Lettuce. The kind of a factory is determined by the name of its class, so no driver is loaded unnecessarily, and
 * none has to be on the classpath. Subclasses count as unknown, because they may have changed anything.
 */
final class Connections {

    private static final String FACTORIES = "org.springframework.data.redis.connection.";
    static final String LETTUCE_FACTORY = FACTORIES + "lettuce.LettuceConnectionFactory";
    static final String JEDIS = "redis.clients.jedis.RedisClient";

    private Connections() {}

    /**
     * {@return dedicated connections, or those of the factory}
     *
     * @param factory specifies where Redis is and how to log in
     * @throws IllegalArgumentException if dedicated connections are required, but there can be none; the message states why
     */
    static RedisConnectionFactory choose(RedisConnectionFactory factory, RedisLockSettings settings) {
        if (settings.connection() == Connection.APPLICATION) {
            return new ApplicationConnections(factory, server(factory));
        }
        LettuceApplication lettuce = lettuce(factory);
        String obstacle = obstacle(factory, lettuce);
        if (obstacle != null && settings.connection() == Connection.DEDICATED) {
            throw new IllegalArgumentException("Locks cannot use dedicated connections: " + obstacle
                    + ". Alternatively, let them use the application's (holdfast.redis.connection=application).");
        }
        if (obstacle != null) {
            return new ApplicationConnections(factory, server(factory));
        }
        String server = server(factory);
        Duration timeout = settings.commandTimeout();
        return lettuce == null
                ? JedisConnections.like(factory, server, timeout, settings.maxConnections())
                : lettuce.connect(server, timeout, settings.maxConnections());
    }

    /** {@return where Redis is, over which connections locks reach it, and why; without secrets} */
    static String describe(RedisConnectionFactory given, Connection wanted) {
        RedisConnectionFactory chosen = given instanceof ApplicationConnections own ? own.applications() : given;
        if (chosen instanceof Wire own) {
            return own.server() + " over dedicated connections";
        }
        String obstacle = wanted == Connection.AUTO ? obstacle(chosen, lettuce(chosen)) : null;
        String server = isKnown(chosen) ? server(chosen) : "Redis";
        return server + " over connections of the application's " + name(chosen) + ", "
                + (obstacle == null ? "as configured" : "because " + obstacle);
    }

    /** {@return where Redis is, without users and passwords} */
    static String server(RedisConnectionFactory factory) {
        LettuceApplication lettuce = lettuce(factory);
        return isJedis(factory)
                ? describe(JedisConnections.servers(factory))
                : lettuce == null ? "Redis via " + name(factory) : describe(lettuce.servers());
    }

    private static boolean isJedis(RedisConnectionFactory factory) {
        return factory.getClass().getName().equals(ApplicationConnections.JEDIS_FACTORY);
    }

    private static @Nullable LettuceApplication lettuce(RedisConnectionFactory factory) {
        return factory.getClass().getName().equals(LETTUCE_FACTORY) ? new LettuceApplication(factory) : null;
    }

    private static boolean isKnown(RedisConnectionFactory factory) {
        return isJedis(factory) || lettuce(factory) != null;
    }

    private static String name(RedisConnectionFactory factory) {
        Class<?> type = factory.getClass();
        return isKnown(factory) ? type.getSimpleName() : type.getName();
    }

    /** Why locks cannot have dedicated connections, and what to do about it; null if they can. */
    private static @Nullable String obstacle(RedisConnectionFactory factory, @Nullable LettuceApplication lettuce) {
        if (!isJedisThere()) {
            return "Jedis is not on the classpath (for dedicated connections, add redis.clients:jedis)";
        }
        if (!isKnown(factory)) {
            return name(factory)
                    + " is neither a JedisConnectionFactory nor a LettuceConnectionFactory (for dedicated connections,"
                    + " provide one of these for locks)";
        }
        List<String> unknown = lettuce == null ? JedisConnections.obstacles(factory) : lettuce.obstacles();
        return unknown.isEmpty()
                ? null
                : "dedicated connections cannot use " + String.join(", or ", unknown)
                        + " (to have them, change that, or set holdfast.redis.url)";
    }

    /** A class loader of the application that is below ours may hide Jedis, so it must be visible there too. */
    private static boolean isJedisThere() {
        ClassLoader ours = Connections.class.getClassLoader();
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
            NamedNode master = sentinels.getMaster();
            String name = master == null ? "master" : master.getName();
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
