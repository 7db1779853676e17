package io.holdfast.lock.redis.driver;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Connections of the application, whatever its driver. Calls are sent one by one, each waits for its reply, and none can wait for replicas.
 * The driver follows redirections.
 *
 * <p>A connection that a transaction of the user has bound to its thread is never used, because a script would be queued there and return
 * null. So it is not bound during a call.
 *
 * <p>As a factory, for a template of our own, it differs from the application's in one respect: a connection of Jedis is only a view of
 * the client that has the pool, but closing it costs an exception, with the trace of a deep stack, which Spring Data throws and catches. So
 * such a view is not closed.
 */
public final class ApplicationConnections implements Wire, RedisConnectionFactory {

    /** Looked up by name. */
    public static final String LETTUCE = "io.lettuce.core.RedisClient";

    private static final String JEDIS_PACKAGE = "org.springframework.data.redis.connection.jedis.";

    public static final String JEDIS_FACTORY = JEDIS_PACKAGE + "JedisConnectionFactory";

    private final RedisConnectionFactory applications;
    private final boolean isJedis;
    private final String server;

    /** Null until there has been a connection, because only a connection reveals it. */
    private volatile @Nullable Boolean cluster;

    /** @param server what {@link #server()} returns */
    public ApplicationConnections(RedisConnectionFactory applications, String server) {
        this.applications = applications;
        this.isJedis = applications.getClass().getName().equals(JEDIS_FACTORY);
        this.server = server;
    }

    /** Lettuce connects only when the native connection is requested. */
    @Override
    public void open(boolean background) {
        try (RedisConnection connection = connect()) {
            Object unused = connection.getNativeConnection();
        }
    }

    private RedisConnection connect() {
        RedisConnection connection = applications.getConnection();
        cluster = connection instanceof RedisClusterConnection;
        return connection;
    }

    @Override
    public RedisConnection newSubscription() {
        RedisConnection connection = connect();
        boolean isOfJedis = connection.getClass().getName().startsWith(JEDIS_PACKAGE);
        return isOfJedis ? JedisConnections.subscription(connection) : connection;
    }

    /** {@return the application's factory} */
    public RedisConnectionFactory applications() {
        return applications;
    }

    @Override
    public RedisConnection getConnection() {
        RedisConnection connection = applications.getConnection();
        return isJedis && !(connection instanceof RedisClusterConnection)
                ? JedisConnections.unclosed(connection)
                : connection;
    }

    @Override
    public RedisClusterConnection getClusterConnection() {
        return applications.getClusterConnection();
    }

    @Override
    public RedisSentinelConnection getSentinelConnection() {
        return applications.getSentinelConnection();
    }

    @Override
    public boolean getConvertPipelineAndTxResults() {
        return applications.getConvertPipelineAndTxResults();
    }

    @Override
    public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException e) {
        return applications.translateExceptionIfPossible(e);
    }

    @Override
    public Supplier<List<Object>> send(RedisTemplate<?, ?> door, boolean background, Calls calls) {
        return () -> calls.all().stream()
                .map(call -> send(door, call, calls.byText()))
                .toList();
    }

    private Object send(RedisTemplate<?, ?> door, ScriptCall call, boolean byText) {
        Object bound = TransactionSynchronizationManager.unbindResourceIfPossible(applications);
        try {
            return door.execute(connection -> send(connection, call, byText), true);
        } finally {
            if (bound != null) {
                TransactionSynchronizationManager.bindResource(applications, bound);
            }
        }
    }

    /** Drivers return null only in MULTI. */
    private static Object send(RedisConnection connection, ScriptCall call, boolean byText) {
        try {
            var commands = connection.scriptingCommands();
            @Nullable
            Object reply = byText
                    ? commands.eval(call.script().text, ReturnType.VALUE, call.keys(), call.keysAndArgs())
                    : commands.evalSha(call.script().sha, ReturnType.VALUE, call.keys(), call.keysAndArgs());
            return Objects.requireNonNullElse(reply, "null");
        } catch (RuntimeException e) {
            if (RedisFailures.isServerError(e)) {
                return e;
            }
            throw e;
        }
    }

    @Override
    public boolean isPipelined() {
        return false;
    }

    /** Lettuce sends again what was in flight when it reconnects; Jedis what failed in a cluster, or as a customizer tells it. */
    @Override
    public boolean isRepeating() {
        return isCluster()
                || !isJedis
                || !JedisConnections.obstacles(applications).isEmpty();
    }

    @Override
    public boolean isCluster() {
        return Boolean.TRUE.equals(cluster);
    }

    @Override
    public boolean isOneServer() {
        return Boolean.FALSE.equals(cluster);
    }

    @Override
    public Map<String, Integer> slotOfEachMaster() {
        try (RedisConnection connection = connect()) {
            return connection instanceof RedisClusterConnection servers ? slots(servers) : Map.of("", 0);
        }
    }

    private static Map<String, Integer> slots(RedisClusterConnection servers) {
        Map<String, Integer> slots = new TreeMap<>();
        for (RedisClusterNode node : servers.clusterGetNodes()) {
            if (node.isMaster()) {
                node.getSlotRange().getSlots().stream().limit(1).forEach(slot -> slots.put(node.asString(), slot));
            }
        }
        return slots;
    }

    /** If a connection is dead and nobody says so, Lettuce keeps it. */
    @Override
    public void refreshTopology() {
        if (ClassUtils.isPresent(LETTUCE, getClass().getClassLoader())) {
            LettuceApplication.replaceSilent(applications);
        }
    }

    @Override
    public String server() {
        return server;
    }
}
