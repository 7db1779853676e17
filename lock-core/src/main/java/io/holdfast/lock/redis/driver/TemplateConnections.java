package io.holdfast.lock.redis.driver;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;

/**
 * The application's own connections, whatever its driver, used as a {@code RedisTemplate} uses them, with one exception: a connection that
 * a transaction of the user has bound to its thread is never taken, because a script would be queued there and return null. Calls are sent
 * one by one, each waits for its reply, and none can wait for replicas. The driver follows redirections.
 */
public final class TemplateConnections implements Wire {

    private static final Logger log = LoggerFactory.getLogger(TemplateConnections.class);

    private final RedisConnectionFactory applications;
    private final String server;

    /** Null until there has been a connection, because only a connection reveals it. */
    private volatile @Nullable Boolean cluster;

    /** @param server what {@link #server()} returns */
    public TemplateConnections(RedisConnectionFactory applications, String server) {
        this.applications = applications;
        this.server = server;
    }

    /** Lettuce connects only when the native connection is requested. */
    @Override
    public void open() {
        try (RedisConnection connection = newSubscription()) {
            Object unused = connection.getNativeConnection();
        }
    }

    @Override
    public RedisConnection newSubscription() {
        RedisConnection connection = applications.getConnection();
        cluster = connection instanceof RedisClusterConnection;
        return connection;
    }

    @Override
    public Supplier<Answers> send(
            List<ScriptCall> calls, Acks acks, long start, @Nullable RuntimeException redirection) {
        return () -> new Answers(calls.stream().map(this::send).toList(), 0);
    }

    /** Drivers return null only in MULTI. */
    private Object send(ScriptCall call) {
        RedisConnection connection = newSubscription();
        try {
            var commands = connection.scriptingCommands();
            @Nullable
            Object reply = call.byText()
                    ? commands.eval(call.script().text, ReturnType.VALUE, call.keys(), call.keysAndArgs())
                    : commands.evalSha(call.script().sha, ReturnType.VALUE, call.keys(), call.keysAndArgs());
            return Objects.requireNonNullElse(reply, "null");
        } catch (RuntimeException e) {
            if (RedisFailures.isServerError(e)) {
                return e;
            }
            throw e;
        } finally {
            giveBack(connection);
        }
    }

    /** The server's reply counts, even if the connection cannot be given back. */
    private static void giveBack(RedisConnection connection) {
        try {
            connection.close();
        } catch (RuntimeException e) {
            log.debug("A connection of the application could not be returned", e);
        }
    }

    @Override
    public boolean isPipelined() {
        return false;
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
        try (RedisConnection connection = newSubscription()) {
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

    @Override
    public String server() {
        return server;
    }
}
