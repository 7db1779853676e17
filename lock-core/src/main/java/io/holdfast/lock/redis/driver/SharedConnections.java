package io.holdfast.lock.redis.driver;

import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * The application's own connections, with whatever driver. A factory of another identity: Spring binds connections to the factory
 * object, and on a connection that a user's transaction has bound, a script would be queued and answer null.
 */
public final class SharedConnections implements DriverConnections {

    private final RedisConnectionFactory delegate;
    private final String server;

    /** Null until there was a connection, because only a connection reveals it. */
    private volatile @Nullable Boolean cluster;

    /** @param server what {@link #server()} returns */
    public SharedConnections(RedisConnectionFactory delegate, String server) {
        this.delegate = delegate;
        this.server = server;
    }

    /** Lettuce connects when it is asked for what it has made. */
    @Override
    public void open() {
        try (RedisConnection connection = getConnection()) {
            Object unused = connection.getNativeConnection();
        }
    }

    @Override
    public String server() {
        return server;
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
    public List<Integer> slotOfEachMaster() {
        try (RedisConnection connection = getConnection()) {
            return connection instanceof RedisClusterConnection servers ? slots(servers) : List.of();
        }
    }

    private static List<Integer> slots(RedisClusterConnection servers) {
        return StreamSupport.stream(servers.clusterGetNodes().spliterator(), false)
                .filter(RedisClusterNode::isMaster)
                .map(RedisClusterNode::getSlotRange)
                .flatMap(range -> range.getSlots().stream().limit(1))
                .toList();
    }

    @Override
    public RedisConnection getConnection() {
        RedisConnection connection = delegate.getConnection();
        cluster = connection instanceof RedisClusterConnection;
        return connection;
    }

    @Override
    public RedisClusterConnection getClusterConnection() {
        return delegate.getClusterConnection();
    }

    @Override
    public boolean getConvertPipelineAndTxResults() {
        return delegate.getConvertPipelineAndTxResults();
    }

    @Override
    public RedisSentinelConnection getSentinelConnection() {
        return delegate.getSentinelConnection();
    }

    @Override
    public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException failure) {
        return delegate.translateExceptionIfPossible(failure);
    }
}
