package io.holdfast.lock.redis.driver.lettuce;

import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.Topology;
import io.holdfast.lock.redis.driver.Wire;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;
import org.springframework.util.ReflectionUtils;

/**
 * A Lettuce factory with the locks' own timeouts, derived from the application's. Commands that were on their way when a
 * connection broke fail at once, instead of being sent again behind our back: the store does that itself, and knows then
 * that it did. A lost connection is tried again every 100 ms, where Lettuce would let pass up to 30 s.
 *
 * <p>It ends its own resources with its connections; the application's threads go on.
 */
public final class LettuceConnections extends LettuceConnectionFactory implements DriverConnections {

    private static final Logger log = LoggerFactory.getLogger(LettuceConnections.class);

    /** A constant, so that it can be read where Lettuce is not there. */
    public static final String CONFIGURATION_FIELD = "configuration";

    private static final Duration RECONNECT_DELAY = Duration.ofMillis(100);

    private final ClientResources resources;
    private final Duration timeout;
    private final LettuceLink<StatefulConnection<byte[], byte[]>> link = new LettuceLink<>(this::connect, this::retire);
    private volatile @Nullable LettuceConnectionProvider provider;
    private volatile Runnable onDisconnect = () -> {};
    private volatile WatchedProvider.Watch subscription = new WatchedProvider.Watch(() -> {});

    private LettuceConnections(
            RedisConfiguration server, LettuceClientConfiguration client, ClientResources resources) {
        super(server, client);
        this.resources = resources;
        this.timeout = client.getCommandTimeout();
    }

    /**
     * Derives one from the application's. Who connects to a cluster asks all nodes for its topology; that begins here, so
     * that the first renewal need not wait until a node which hangs has used up its time, and the nodes are told apart from
     * the first lock on.
     *
     * @param shared whether commands share one connection; messages do not
     */
    public static LettuceConnections derive(RedisConnectionFactory applications, Duration timeout, boolean shared) {
        LettuceConnectionFactory original = (LettuceConnectionFactory) applications;
        LettuceClientConfiguration client = original.getClientConfiguration();
        ClientResources resources = resources(client);
        LettuceConnections derived = new LettuceConnections(
                configuration(original),
                LettuceOwnClient.configuration(client, timeout, resources, original.isClusterAware()),
                resources);
        derived.setValidateConnection(false);
        derived.setShareNativeConnection(shared);
        derived.afterPropertiesSet();
        derived.start();
        if (shared && derived.isCluster()) {
            derived.awaitCluster();
        }
        return derived;
    }

    private void awaitCluster() {
        try {
            LettuceWire.await(link.get(), timeout.toNanos());
        } catch (RuntimeException e) {
            log.debug("The cluster is not responding yet; the first call will try again", e);
        }
    }

    /**
     * Where the servers are. The getters know standalone servers that were handed over as such, and no master with replicas,
     * for which they answer localhost; nor do they tell the user name of a standalone server that was handed over as a
     * {@link RedisConfiguration}. As of Spring Data 4.1 nothing else that is public tells these two, so the field is read.
     */
    public static RedisConfiguration configuration(RedisConnectionFactory applications) {
        LettuceConnectionFactory original = (LettuceConnectionFactory) applications;
        Field field = ReflectionUtils.findField(LettuceConnectionFactory.class, CONFIGURATION_FIELD);
        if (field == null) {
            return known(original);
        }
        ReflectionUtils.makeAccessible(field);
        return Objects.requireNonNull((RedisConfiguration) ReflectionUtils.getField(field, original));
    }

    @Override
    public String server() {
        return Topology.describe(configuration(this));
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
        onDisconnect = action;
    }

    @Override
    public boolean isSubscriptionLost() {
        return subscription.isLost();
    }

    @Override
    public boolean readsByItself() {
        return true;
    }

    @Override
    protected LettuceConnectionProvider doCreateConnectionProvider(AbstractRedisClient client, RedisCodec<?, ?> codec) {
        LettuceConnectionProvider made = super.doCreateConnectionProvider(client, codec);
        if (codec == ByteArrayCodec.INSTANCE) {
            provider = made;
        }
        return getShareNativeConnection() ? made : new WatchedProvider(made, this::watch);
    }

    private WatchedProvider.Watch watch() {
        WatchedProvider.Watch watch = new WatchedProvider.Watch(() -> onDisconnect.run());
        subscription = watch;
        return watch;
    }

    @SuppressWarnings("unchecked") // the codec is for bytes
    private StatefulConnection<byte[], byte[]> connect() {
        return Objects.requireNonNull(provider).getConnection(StatefulConnection.class);
    }

    /** Calls that were sent over it may be answered yet, in the time that they have. */
    private void retire(StatefulConnection<byte[], byte[]> connection) {
        try {
            var unused = resources
                    .eventExecutorGroup()
                    .schedule(() -> close(connection), timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The connection could not be closed; it will be closed with its client", e);
        }
    }

    private static void close(StatefulConnection<byte[], byte[]> connection) {
        if (connection.isOpen()) {
            var unused = connection.closeAsync();
        }
    }

    /** For calls by way of Spring Data. */
    @Override
    protected @Nullable StatefulRedisConnection<byte[], byte[]> getSharedConnection() {
        return getShareNativeConnection() && !isCluster()
                ? (StatefulRedisConnection<byte[], byte[]>) LettuceWire.await(link.get(), timeout.toNanos())
                : null;
    }

    @Override
    protected @Nullable StatefulRedisClusterConnection<byte[], byte[]> getSharedClusterConnection() {
        return getShareNativeConnection() && isCluster()
                ? (StatefulRedisClusterConnection<byte[], byte[]>) LettuceWire.await(link.get(), timeout.toNanos())
                : null;
    }

    @Override
    public Wire wire() {
        return new LettuceWire(this::connectionTo, this::drop, timeout);
    }

    @SuppressWarnings("unchecked") // the connection to a single server is one of that type
    private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connectionTo(byte[] key) {
        CompletableFuture<?> shared = link.get();
        return isCluster()
                ? shared.thenCompose(cluster -> nodeOf((StatefulRedisClusterConnection<byte[], byte[]>) cluster, key))
                : (CompletableFuture<StatefulRedisConnection<byte[], byte[]>>) shared;
    }

    private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> nodeOf(
            StatefulRedisClusterConnection<byte[], byte[]> cluster, byte[] key) {
        return cluster.getConnectionAsync(serverOf(key));
    }

    /** Of a cluster's nodes another one has the slots then, see {@link #refreshTopology}. */
    private void drop(StatefulRedisConnection<byte[], byte[]> unusable) {
        if (!isCluster()) {
            link.drop(unusable);
        }
    }

    @Override
    public boolean isCluster() {
        return isClusterAware();
    }

    @Override
    public String serverOf(byte[] key) {
        if (!isCluster() || !link.isReady()) {
            return "";
        }
        @Nullable
        RedisClusterNode node = ((RedisClusterClient) getRequiredNativeClient())
                .getPartitions()
                .getPartitionBySlot(ClusterSlotHashUtil.calculateSlot(key));
        return node == null ? "" : node.getNodeId();
    }

    /** A connection to a single server, or to the master that sentinels named, is replaced by whoever finds it silent, or a replica's. */
    @Override
    public void refreshTopology() {
        if (isCluster()) {
            ((RedisClusterClient) getRequiredNativeClient()).refreshPartitions();
        }
    }

    @Override
    public void stop() {
        link.reset();
        super.stop();
    }

    @Override
    public void destroy() {
        link.close();
        super.destroy();
        resources.shutdown(0, 100, TimeUnit.MILLISECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    }
}
