package io.holdfast.lock.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * A Lettuce factory with the locks' own timeouts, derived from the application's. Commands that were on their way when a
 * connection broke fail at once, instead of being sent again behind our back: the store does that itself, and knows then
 * that it did. A lost connection is tried again every 100 ms, where Lettuce would let pass up to 30 s.
 *
 * <p>It ends its own resources with its connections; the application's threads go on.
 */
final class LettuceConnections extends LettuceConnectionFactory implements OwnConnections {

    private static final Logger log = LoggerFactory.getLogger(LettuceConnections.class);

    /** A constant, so that it can be read where Lettuce is not there. */
    static final String CONFIGURATION_FIELD = "configuration";

    private static final Duration RECONNECT_DELAY = Duration.ofMillis(100);

    private final ClientResources resources;
    private final Duration timeout;

    private LettuceConnections(RedisConfiguration server, LettuceOwnClient client) {
        super(server, client);
        this.resources = client.resources();
        this.timeout = client.timeout();
    }

    static boolean fits(RedisConnectionFactory factory) {
        return factory.getClass() == LettuceConnectionFactory.class;
    }

    /** @param shared whether commands share one connection; messages do not */
    static LettuceConnections derive(RedisConnectionFactory applications, Duration timeout, boolean shared) {
        LettuceConnectionFactory original = (LettuceConnectionFactory) applications;
        LettuceClientConfiguration client = original.getClientConfiguration();
        LettuceConnections derived = new LettuceConnections(
                configuration(original),
                new LettuceOwnClient(client, timeout, resources(client), original.isClusterAware()));
        derived.setValidateConnection(false);
        derived.setShareNativeConnection(shared);
        derived.afterPropertiesSet();
        derived.start();
        if (shared && derived.isCluster()) {
            derived.openShared();
        }
        return derived;
    }

    /**
     * Where the servers are. The getters know standalone servers that were handed over as such, and no master with replicas,
     * for which they answer localhost.
     */
    private static RedisConfiguration configuration(LettuceConnectionFactory original) {
        Field field = ReflectionUtils.findField(LettuceConnectionFactory.class, CONFIGURATION_FIELD);
        if (field == null) {
            return known(original);
        }
        ReflectionUtils.makeAccessible(field);
        return Objects.requireNonNull((RedisConfiguration) ReflectionUtils.getField(field, original));
    }

    private static RedisConfiguration known(LettuceConnectionFactory original) {
        RedisConfiguration cluster = original.getClusterConfiguration();
        RedisConfiguration sentinel = original.getSentinelConfiguration();
        RedisConfiguration socket = original.getSocketConfiguration();
        if (cluster != null) {
            return cluster;
        }
        if (sentinel != null) {
            return sentinel;
        }
        return socket != null ? socket : original.getStandaloneConfiguration();
    }

    /**
     * Whoever opens the connection to a cluster asks all nodes for its topology, while others wait. Were that the first
     * renewal, a node which hangs then would delay the locks of all.
     */
    private void openShared() {
        try {
            getSharedClusterConnection();
        } catch (RuntimeException e) {
            log.debug("The cluster does not answer yet; the first call tries again", e);
        }
    }

    /** The application's threads, if it gives us any, with a reconnect delay of our own. */
    private static ClientResources resources(LettuceClientConfiguration client) {
        ClientResources.Builder builder = ClientResources.builder();
        client.getClientResources()
                .ifPresent(original -> builder.eventLoopGroupProvider(original.eventLoopGroupProvider())
                        .eventExecutorGroup(original.eventExecutorGroup())
                        .timer(original.timer())
                        .commandLatencyRecorder(original.commandLatencyRecorder())
                        .socketAddressResolver(original.socketAddressResolver())
                        .addressResolverGroup(original.addressResolverGroup())
                        .nettyCustomizer(original.nettyCustomizer())
                        .tracing(original.tracing()));
        return builder.reconnectDelay(Delay.constant(RECONNECT_DELAY)).build();
    }

    @Override
    public void onDisconnect(Runnable action) {
        getRequiredNativeClient().addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                if (connection instanceof StatefulRedisPubSubConnection) {
                    action.run();
                }
            }
        });
    }

    @Override
    public boolean readsByItself() {
        return true;
    }

    @Override
    public Wire wire() {
        return new LettuceWire(this::connectionTo, timeout);
    }

    private RedisClusterAsyncCommands<byte[], byte[]> connectionTo(byte[] key) {
        if (isCluster()) {
            StatefulRedisClusterConnection<byte[], byte[]> cluster =
                    Objects.requireNonNull(getSharedClusterConnection());
            return cluster.getConnection(serverOf(key)).async();
        }
        StatefulRedisConnection<byte[], byte[]> server = Objects.requireNonNull(getSharedConnection());
        return server.async();
    }

    @Override
    public boolean isCluster() {
        return isClusterAware();
    }

    @Override
    public String serverOf(byte[] key) {
        if (!isCluster()) {
            return "";
        }
        @Nullable
        RedisClusterNode node = ((RedisClusterClient) getRequiredNativeClient())
                .getPartitions()
                .getPartitionBySlot(ClusterSlotHashUtil.calculateSlot(key));
        return node == null ? "" : node.getNodeId();
    }

    /** A connection that a sentinel has found stays where it is, also if the server hangs that another one has replaced. */
    @Override
    public void refreshTopology() {
        if (isCluster()) {
            ((RedisClusterClient) getRequiredNativeClient()).refreshPartitions();
        } else if (isRedisSentinelAware()) {
            resetConnection();
        }
    }

    @Override
    public void destroy() {
        super.destroy();
        resources.shutdown(0, 100, TimeUnit.MILLISECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    }
}
