package io.holdfast.lock.redis.driver.jedis;

import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.RedisAccess;
import io.holdfast.lock.redis.driver.Topology;
import io.holdfast.lock.redis.driver.Wire;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.Assert;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.Pool;

/**
 * A Jedis factory with the locks' own timeouts and pool, configured like the application's factory.
 *
 * <p>Spring Data makes a connection object for each call, a dozen objects around it, and an exception each time one is
 * closed; beside a call of 50 µs that shows. Outside of pipelines, transactions and subscriptions, which locks have no use
 * for here, such an object keeps nothing: the client behind it borrows a pooled connection for each command. So one of them
 * serves all calls.
 *
 * <p>The provider of a cluster's connections is made here, not by the client, since only it knows which node has a slot.
 */
public final class JedisConnections extends JedisConnectionFactory implements DriverConnections {

    private static final int MOST_REDIRECTS = 5;

    private final JedisOwnClient client;
    private final JedisLender lender;
    private volatile @Nullable RedisConnection shared;
    private volatile @Nullable ClusterConnectionProvider cluster;
    private volatile @Nullable SentineledConnectionProvider sentinels;
    private volatile boolean destroyed;

    private JedisConnections(RedisStandaloneConfiguration server, JedisOwnClient client) {
        super(server, client.configuration());
        this.client = client;
        this.lender = lender();
    }

    private JedisConnections(RedisSentinelConfiguration servers, JedisOwnClient client) {
        super(servers, client.configuration());
        this.client = client;
        this.lender = lender();
    }

    private JedisConnections(RedisClusterConfiguration servers, JedisOwnClient client) {
        super(servers, client.configuration());
        this.client = client;
        this.lender = lender();
    }

    private JedisLender lender() {
        return new JedisLender(this::pools, this::server, client.timeout().toNanos());
    }

    /**
     * Configured like a {@code JedisConnectionFactory}, with its customizers.
     *
     * @param connections the maximum number
     */
    public static JedisConnections derive(RedisConnectionFactory applications, Duration timeout, int connections) {
        JedisConnectionFactory original = (JedisConnectionFactory) applications;
        return create(
                configuration(original), new JedisOwnClient(original.getClientConfiguration(), timeout, connections));
    }

    /**
     * Configured like a factory of another driver.
     *
     * @param connections the maximum number
     */
    public static JedisConnections create(RedisAccess access, Duration timeout, int connections) {
        return create(access.servers(), new JedisOwnClient(JedisOwnClient.of(access), timeout, connections));
    }

    private static JedisConnections create(RedisConfiguration servers, JedisOwnClient client) {
        JedisConnections created;
        if (servers instanceof RedisClusterConfiguration cluster) {
            created = new JedisConnections(cluster, client);
        } else if (servers instanceof RedisSentinelConfiguration sentinel) {
            created = new JedisConnections(sentinel, client);
        } else {
            created = new JedisConnections((RedisStandaloneConfiguration) servers, client);
        }
        created.setUseUnifiedJedis(true);
        created.setEarlyStartup(false);
        created.afterPropertiesSet();
        return created;
    }

    /** Where the servers are. */
    public static RedisConfiguration configuration(RedisConnectionFactory applications) {
        JedisConnectionFactory original = (JedisConnectionFactory) applications;
        RedisConfiguration cluster = original.getClusterConfiguration();
        RedisConfiguration sentinel = original.getSentinelConfiguration();
        if (cluster != null) {
            return cluster;
        }
        RedisConfiguration single = sentinel == null ? original.getStandaloneConfiguration() : sentinel;
        Assert.state(single != null, "The JedisConnectionFactory has no configuration");
        return single;
    }

    @Override
    public String server() {
        return Topology.describe(configuration(this));
    }

    @Override
    protected RedisClient createRedisClient(RedisStandaloneConfiguration configuration) {
        var builder = RedisClient.builder()
                .hostAndPort(new HostAndPort(configuration.getHostName(), configuration.getPort()))
                .clientConfig(config())
                .poolConfig(client.pool());
        client.configuration().getClientCustomizer().ifPresent(each -> each.customize(builder));
        return builder.build();
    }

    private JedisClientConfig config() {
        return lender.guard(client.config());
    }

    @Override
    public void open() {
        start();
        lender.giveBack(borrowAny());
    }

    /** Asks cluster nodes or sentinels first: Spring Data's factory would stay unusable if its start failed. */
    @Override
    public void start() {
        if (isRunning()) {
            return;
        }
        if (destroyed) {
            throw new IllegalStateException("The connections for locks are closed");
        }
        RedisClusterConfiguration nodes = getClusterConfiguration();
        RedisSentinelConfiguration watchers = getSentinelConfiguration();
        if (nodes != null) {
            cluster = new ClusterConnectionProvider(addresses(nodes.getClusterNodes()), config(), client.pool());
        } else if (watchers != null) {
            sentinels = new SentineledConnectionProvider(
                    master(watchers),
                    config(),
                    client.pool(),
                    addresses(watchers.getSentinels()),
                    sentinelConfig(client.config(), watchers));
        }
        super.start();
        if (destroyed) {
            stop();
        }
    }

    @Override
    public void destroy() {
        destroyed = true;
        super.destroy();
    }

    @Override
    protected RedisClusterClient createRedisClusterClient(RedisClusterConfiguration configuration) {
        Integer redirects = configuration.getMaxRedirects();
        var builder = RedisClusterClient.builder()
                .nodes(addresses(configuration.getClusterNodes()))
                .clientConfig(config())
                .poolConfig(client.pool())
                .maxAttempts(redirects == null ? MOST_REDIRECTS : redirects)
                .maxTotalRetriesDuration(client.timeout())
                .connectionProvider(Objects.requireNonNull(cluster));
        client.configuration().getClientCustomizer().ifPresent(each -> each.customize(builder));
        return builder.build();
    }

    @Override
    protected RedisSentinelClient createRedisSentinelClient(RedisSentinelConfiguration configuration) {
        var builder = RedisSentinelClient.builder()
                .masterName(master(configuration))
                .sentinels(addresses(configuration.getSentinels()))
                .clientConfig(config())
                .sentinelClientConfig(sentinelConfig(client.config(), configuration))
                .poolConfig(client.pool())
                .connectionProvider(Objects.requireNonNull(sentinels));
        client.configuration().getClientCustomizer().ifPresent(each -> each.customize(builder));
        return builder.build();
    }

    private static String master(RedisSentinelConfiguration configuration) {
        return Objects.requireNonNull(configuration.getRequiredMaster().getName());
    }

    /** Sentinels have users of their own, and no databases. */
    private static JedisClientConfig sentinelConfig(JedisClientConfig config, RedisSentinelConfiguration sentinel) {
        return DefaultJedisClientConfig.builder()
                .from(config)
                .credentialsProvider(null)
                .user(sentinel.getSentinelUsername())
                .password(sentinel.getSentinelPassword().map(String::new).orElse(null))
                .database(0)
                .build();
    }

    private static Set<HostAndPort> addresses(Collection<RedisNode> nodes) {
        return nodes.stream()
                .map(node ->
                        new HostAndPort(Objects.requireNonNull(node.getHost()), Objects.requireNonNull(node.getPort())))
                .collect(Collectors.toSet());
    }

    @Override
    public RedisConnection getConnection() {
        if (isCluster()) {
            return super.getConnection();
        }
        RedisConnection known = shared;
        if (known == null) {
            known = new OpenConnection(getRequiredRedisClient());
            shared = known;
        }
        return known;
    }

    @Override
    public void stop() {
        super.stop();
        shared = null;
    }

    @Override
    public RedisConnection newConnection() {
        start();
        return new JedisSubscriber(borrowAny());
    }

    private Connection borrowAny() {
        ClusterConnectionProvider nodes = cluster;
        return nodes == null ? borrow() : nodes.getConnection();
    }

    @Override
    public void breakOff(RedisConnection subscription) {
        ((JedisSubscriber) subscription).breakOff();
    }

    private static final class OpenConnection extends JedisConnection {

        OpenConnection(UnifiedJedis client) {
            super(client);
        }

        /** Each call closes it, and the next one goes on with it. */
        @Override
        public void close() {}
    }

    @Override
    public Wire wire() {
        return new JedisWire(this::borrow, lender, client.timeout());
    }

    @Override
    public <T> T inTime(Supplier<T> call) {
        return lender.inTime(call);
    }

    private Connection borrow(byte[] key) {
        try {
            return lender.inTime(() -> borrowFor(key));
        } catch (RuntimeException e) {
            throw lender.explain(e);
        }
    }

    private Connection borrowFor(byte[] key) {
        ClusterConnectionProvider nodes = cluster;
        return nodes == null ? borrow() : nodes.getConnectionFromSlot(ClusterSlotHashUtil.calculateSlot(key));
    }

    private Connection borrow() {
        SentineledConnectionProvider master = sentinels;
        return master == null ? ownPool().getResource() : master.getConnection();
    }

    private Pool<Connection> ownPool() {
        return ((RedisClient) getRequiredRedisClient()).getPool();
    }

    @SuppressWarnings("unchecked") // whatever the map's type says, Jedis' providers keep pools of connections
    private Collection<? extends Pool<Connection>> pools() {
        ClusterConnectionProvider nodes = cluster;
        SentineledConnectionProvider master = sentinels;
        if (nodes != null) {
            return nodes.getNodes().values();
        }
        return master != null
                ? (Collection<? extends Pool<Connection>>)
                        master.getConnectionMap().values()
                : List.of(ownPool());
    }

    @Override
    public boolean isCluster() {
        return isRedisClusterAware();
    }

    @Override
    public String serverOf(byte[] key) {
        return serverOf(ClusterSlotHashUtil.calculateSlot(key));
    }

    @Override
    public List<Integer> slotOfEachMaster() {
        Map<String, Integer> slots = new LinkedHashMap<>();
        if (isCluster()) {
            for (int slot = 0; slot < ClusterSlotHashUtil.SLOT_COUNT; slot++) {
                slots.putIfAbsent(serverOf(slot), slot);
            }
        }
        return List.copyOf(slots.values());
    }

    private String serverOf(int slot) {
        ClusterConnectionProvider nodes = cluster;
        return nodes == null ? "" : String.valueOf(nodes.getNode(slot));
    }

    /** A client of sentinels listens to them. */
    @Override
    public void refreshTopology() {
        ClusterConnectionProvider nodes = cluster;
        if (nodes != null) {
            nodes.renewSlotCache();
        }
    }
}
