package io.holdfast.lock.redis.driver;

import static org.springframework.util.StringUtils.capitalize;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.DaemonThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.Assert;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.HostAndPortMapper;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.Pool;

/**
 * Jedis on connections that only locks use, configured like the application's factory, but for timeouts and pool: a pool of Jedis would
 * wait forever. Scripts go over a pooled connection themselves: beside a call of 50 µs the objects that Spring Data and Jedis' clients
 * make for each call show.
 *
 * <p><b>One command timeout.</b> Nobody waits for a second one. A call waits for a connection for half of it at most, and the replies have
 * what is left, at least half. A pool replaces a connection that comes back broken, on the thread that brings it: a caller without a
 * reply would wait again, for a connection that it does not need, to a server that hangs. And a caller that found the pool exhausted for
 * a while would begin to connect after its timeout. So a thread has a time in which it may begin to connect: the first half of a command
 * timeout while it asks for a connection or the driver sends for it; only the first tenth if the server is known to hang, because
 * connecting then takes another timeout; none while it gives back a connection on which a call was not answered. Jedis maps the address
 * as the first step of each connect, and nowhere else; there this is checked.
 *
 * <p>A pool wakes threads that wait for a connection when one is returned, but not when one is dropped. In that case a thread of its own
 * creates connections for them, one at a time, until nobody waits or the server refuses. It checks once more at its end: a caller that
 * came after its last check started no thread, because this one was still there.
 */
public final class JedisConnections implements Wire {

    private static final Logger log = LoggerFactory.getLogger(JedisConnections.class);

    private static final int MOST_REDIRECTS = 5;
    private static final String POLICY = "maxmemory_policy:";

    private final RedisConfiguration servers;
    private final JedisClientConfiguration client;
    private final String server;
    private final Duration timeout;
    private final ConnectionPoolConfig pool = new ConnectionPoolConfig();
    private final JedisClientConfig config;

    /** When the thread began to ask for a connection; only while it does. */
    private final ThreadLocal<@Nullable Long> began = new ThreadLocal<>();

    private final AtomicBoolean refilling = new AtomicBoolean();
    private volatile boolean unanswered;
    private volatile @Nullable Open open;
    private volatile boolean closed;

    /**
     * What was made of the configuration.
     *
     * @param cluster null for a single server
     * @param follower follows the redirections of a cluster; null for a single server
     */
    private record Open(
            @Nullable ClusterConnectionProvider cluster,
            @Nullable UnifiedJedis follower,
            Supplier<Connection> any,
            Supplier<Map<?, ? extends Pool<Connection>>> pools,
            Runnable close) {}

    /**
     * Creates an instance, which does not connect yet.
     *
     * @param servers one server, sentinels or a cluster, with users and passwords
     * @param client the rest of the application's configuration
     * @param server what {@link #server()} returns
     * @param timeout limits the wait for a connection and for the reply, together
     * @param connections the maximum number
     */
    JedisConnections(
            RedisConfiguration servers,
            JedisClientConfiguration client,
            String server,
            Duration timeout,
            int connections) {
        this.servers = servers;
        this.client = client;
        this.server = server;
        this.timeout = timeout;
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        pool.setMaxWait(timeout.dividedBy(2));
        pool.setJmxEnabled(false);
        this.config = config();
    }

    /** {@return where the servers of a {@code JedisConnectionFactory} are} */
    public static RedisConfiguration servers(RedisConnectionFactory applications) {
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

    /** {@return connections that are configured like a {@code JedisConnectionFactory}} The parameters are those of the constructor. */
    public static Wire like(RedisConnectionFactory applications, String server, Duration timeout, int connections) {
        JedisClientConfiguration client = ((JedisConnectionFactory) applications).getClientConfiguration();
        return new JedisConnections(servers(applications), client, server, timeout, connections);
    }

    private JedisClientConfig config() {
        int millis = (int) timeout.toMillis();
        DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder()
                .connectionTimeoutMillis(millis)
                .socketTimeoutMillis(millis)
                .database(RedisConfiguration.getDatabaseOrElse(servers, () -> 0))
                .ssl(client.isUseSsl());
        String user = RedisConfiguration.getUsernameOrElse(servers, () -> "");
        if (user != null && !user.isEmpty()) {
            builder.user(user);
        }
        password(RedisConfiguration.getPasswordOrElse(servers, RedisPassword::none), builder);
        client.getClientName().ifPresent(builder::clientName);
        if (client.isUseSsl()) {
            client.getSslSocketFactory().ifPresent(builder::sslSocketFactory);
            client.getSslParameters().ifPresent(builder::sslParameters);
            client.getHostnameVerifier().ifPresent(builder::hostnameVerifier);
        }
        client.getClientConfigCustomizer().ifPresent(each -> each.customize(builder));
        @Nullable HostAndPortMapper mapper = builder.build().getHostAndPortMapper();
        return builder.hostAndPortMapper(address -> {
                    checkTime();
                    return mapper == null ? address : mapper.getHostAndPort(address);
                })
                .build();
    }

    private static void password(RedisPassword password, DefaultJedisClientConfig.Builder builder) {
        password.toOptional().map(String::new).ifPresent(builder::password);
    }

    /** Sentinels have users of their own, and no databases. */
    private JedisClientConfig ofSentinels(RedisSentinelConfiguration sentinels) {
        DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder()
                .from(config)
                .credentialsProvider(null)
                .user(sentinels.getSentinelUsername())
                .password(null)
                .database(0);
        password(sentinels.getSentinelPassword(), builder);
        return builder.build();
    }

    @Override
    public void open() {
        start();
        giveBack(opened().any().get());
    }

    /** With sentinels or a cluster, that calls servers. Who starts at the same time waits: the second of two would never be closed. */
    @Override
    public synchronized void start() {
        if (open != null) {
            return;
        }
        Assert.state(!closed, "The connections for locks are closed");
        open = connect();
        if (closed) {
            stop();
        }
    }

    private Open connect() {
        if (servers instanceof RedisClusterConfiguration cluster) {
            return connect(cluster);
        }
        if (servers instanceof RedisSentinelConfiguration sentinels) {
            SentineledConnectionProvider provider = new SentineledConnectionProvider(
                    Objects.requireNonNull(sentinels.getRequiredMaster().getName()),
                    config,
                    pool,
                    addresses(sentinels.getSentinels()),
                    ofSentinels(sentinels));
            return new Open(null, null, provider::getConnection, provider::getConnectionMap, provider::close);
        }
        RedisStandaloneConfiguration single = (RedisStandaloneConfiguration) servers;
        var builder = RedisClient.builder()
                .hostAndPort(new HostAndPort(single.getHostName(), single.getPort()))
                .clientConfig(config)
                .poolConfig(pool);
        client.getClientCustomizer().ifPresent(each -> each.customize(builder));
        RedisClient jedis = builder.build();
        return new Open(null, null, jedis.getPool()::getResource, () -> Map.of("", jedis.getPool()), jedis::close);
    }

    /** The provider is made here, not by the client, since only it knows which node has a slot. */
    private Open connect(RedisClusterConfiguration cluster) {
        Set<HostAndPort> nodes = addresses(cluster.getClusterNodes());
        ClusterConnectionProvider provider = new ClusterConnectionProvider(nodes, config, pool);
        var builder = RedisClusterClient.builder()
                .nodes(nodes)
                .clientConfig(config)
                .poolConfig(pool)
                .maxAttempts(Objects.requireNonNullElse(cluster.getMaxRedirects(), MOST_REDIRECTS))
                .maxTotalRetriesDuration(timeout)
                .connectionProvider(provider);
        client.getClientCustomizer().ifPresent(each -> each.customize(builder));
        return new Open(provider, builder.build(), provider::getConnection, provider::getNodes, provider::close);
    }

    private static Set<HostAndPort> addresses(Collection<RedisNode> nodes) {
        return nodes.stream()
                .map(node ->
                        new HostAndPort(Objects.requireNonNull(node.getHost()), Objects.requireNonNull(node.getPort())))
                .collect(Collectors.toSet());
    }

    private Open opened() {
        Open known = open;
        Assert.state(known != null, "The connections for locks are closed");
        return known;
    }

    @Override
    public void stop() {
        Open known = open;
        open = null;
        if (known != null) {
            known.close().run();
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            stop();
        } catch (RuntimeException e) {
            log.warn("Failed to close the lock connections", e);
        }
    }

    @Override
    public Sent send(List<ScriptCall> calls, Acks acks, long start) {
        Connection connection = borrow(calls.get(0).keysAndArgs()[0]);
        attempt(connection, () -> write(connection, calls, acks));
        long timeoutNanos = timeout.toNanos();
        long left = Math.max(timeoutNanos - (System.nanoTime() - start), timeoutNanos / 2);
        return () -> {
            Answers answers = attempt(connection, () -> read(connection, calls.size(), acks, left));
            if (answers.isOfReplica(calls)) {
                giveUp(connection);
                pools().forEach(Pool::clear); // so is the server for the other connections
            } else {
                giveBack(connection);
            }
            return answers;
        };
    }

    /** Flushes as the first step of reading; there is no other way in. */
    private static List<Object> write(Connection connection, List<ScriptCall> calls, Acks acks) {
        for (ScriptCall call : calls) {
            CommandArguments command = new CommandArguments(
                            call.byText() ? Protocol.Command.EVAL : Protocol.Command.EVALSHA)
                    .add(call.byText() ? call.script().text() : call.script().sha())
                    .add(text(call.keys()));
            for (byte[] each : call.keysAndArgs()) {
                command.add(each);
            }
            connection.sendCommand(command);
        }
        if (acks.number() > 0) {
            connection.sendCommand(
                    Protocol.Command.WAIT,
                    text(acks.number()),
                    text(acks.timeout().toMillis()));
        }
        return connection.getMany(0);
    }

    private static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    /** Leaves the connection with its usual timeout. If this fails, the connection is not used again. */
    private Answers read(Connection connection, int calls, Acks acks, long nanos) {
        setTimeout(connection, nanos);
        List<Object> replies = connection.getMany(calls);
        Object acknowledged = 0L;
        if (acks.number() > 0) {
            setTimeout(connection, nanos + acks.timeout().toNanos());
            acknowledged = connection.getMany(1).get(0);
        }
        setTimeout(connection, timeout.toNanos());
        if (acknowledged instanceof RuntimeException e) {
            throw e;
        }
        return new Answers(replies, (Long) acknowledged);
    }

    private static void setTimeout(Connection connection, long nanos) {
        connection.setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    private <T> T attempt(Connection connection, Supplier<T> step) {
        try {
            return step.get();
        } catch (RuntimeException e) {
            if (RedisFailures.hasTimeout(e)) {
                unanswered = true;
            }
            giveUp(connection);
            throw e;
        }
    }

    @Override
    public Object follow(ScriptCall call) {
        UnifiedJedis follower = Objects.requireNonNull(opened().follower());
        return inTime(() -> call.byText()
                ? follower.eval(call.script().text(), call.keys(), call.keysAndArgs())
                : follower.evalsha(call.script().sha(), call.keys(), call.keysAndArgs()));
    }

    Connection borrow(byte[] key) {
        Open from = opened();
        ClusterConnectionProvider cluster = from.cluster();
        try {
            return cluster == null
                    ? inTime(from.any())
                    : inTime(() -> cluster.getConnectionFromSlot(ClusterSlotHashUtil.calculateSlot(key)));
        } catch (RuntimeException e) {
            throw explain(e);
        }
    }

    private void checkTime() {
        Long since = began.get();
        if (since != null && System.nanoTime() - since >= timeout.toNanos() / (unanswered ? 10 : 2)) {
            throw new NoTimeLeft();
        }
    }

    /** Nothing was sent on this connection, which was not made. */
    private static final class NoTimeLeft extends JedisConnectionException {

        private static final long serialVersionUID = 1L;

        NoTimeLeft() {
            super("The deadline of this call has passed", new SocketTimeoutException("No time left to connect"));
        }
    }

    /** Runs what may make connections on this thread, and begins none later than after half of a command timeout. */
    private <T> T inTime(Supplier<T> call) {
        began.set(System.nanoTime());
        try {
            return call.get();
        } catch (RuntimeException e) {
            if (!(e instanceof NoTimeLeft) && RedisFailures.hasTimeout(e)) {
                unanswered = true;
            }
            throw e;
        } finally {
            began.remove();
        }
    }

    /**
     * The reason why no connection is available, and nothing was sent: a server that does not reply exhausts the pool, and so do many
     * calls; and where the processor is slow, a call's time may pass before it begins to connect.
     */
    private RuntimeException explain(RuntimeException failure) {
        boolean noTimeLeft = failure instanceof NoTimeLeft;
        if (unanswered && (noTimeLeft || RedisFailures.isPoolExhausted(failure))) {
            return new LockStoreException(
                    capitalize(server)
                            + " did not respond in time, and all connections for locks are waiting for it. Check"
                            + " that the server responds, and that holdfast.redis.command-timeout is long enough.",
                    failure,
                    false);
        }
        return noTimeLeft
                ? new LockStoreException(
                        "No command was sent to " + server
                                + ", because the time of the call was over before it could connect. Check that this"
                                + " process gets enough processor time (the CPU limit of its container), and that"
                                + " holdfast.redis.command-timeout is long enough.",
                        new ConnectionsInUseException(failure),
                        false)
                : failure;
    }

    /** Takes back a connection whose calls were all answered. */
    void giveBack(Connection connection) {
        if (unanswered) {
            unanswered = false;
        }
        connection.close();
    }

    /** Takes back a connection that is not to be used again, and has no other one made on this thread. */
    void giveUp(Connection connection) {
        connection.setBroken();
        began.set(System.nanoTime() - timeout.toNanos());
        try {
            connection.close();
        } catch (JedisException e) {
            log.trace("The pool could not replace a connection on this thread", e);
        } finally {
            began.remove();
        }
        refill();
    }

    private void refill() {
        if (pools().stream().anyMatch(JedisConnections::isWanted) && refilling.compareAndSet(false, true)) {
            DaemonThreads.create(this::connectForWaiters, "holdfast-connect").start();
        }
    }

    private static boolean isWanted(Pool<Connection> pool) {
        return pool.getNumWaiters() > 0 && pool.getNumIdle() + pool.getNumActive() < pool.getMaxTotal();
    }

    private void connectForWaiters() {
        boolean connected = false;
        try {
            for (Pool<Connection> each : pools()) {
                while (isWanted(each)) {
                    each.addObjects(1);
                }
            }
            connected = true;
        } catch (RuntimeException e) {
            log.debug("Could not open a connection for waiting calls", e);
        } finally {
            refilling.set(false);
        }
        if (connected) {
            refill();
        }
    }

    /** All there are at the moment. */
    List<Pool<Connection>> pools() {
        Open known = open;
        return known == null ? List.of() : List.copyOf(known.pools().get().values());
    }

    /** It keeps its connection for good. */
    @Override
    public RedisConnection newSubscription() {
        start();
        return new Subscriber(opened().any().get());
    }

    @Override
    public void breakOff(RedisConnection subscription) {
        try {
            ((Subscriber) subscription).connection.forceDisconnect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * One subscription on one connection. The thread that subscribes reads from the socket without a timeout, so nothing but the end of
     * that socket brings it back from a server that hangs.
     */
    private static final class Subscriber extends JedisConnection {

        private final Connection connection;

        /** Spring Data's client would borrow a connection by itself, and not say which. */
        Subscriber(Connection connection) {
            super(new UnifiedJedis(connection) {
                @Override
                public void subscribe(BinaryJedisPubSub messages, byte[]... channels) {
                    messages.proceed(connection, channels);
                }
            });
            this.connection = connection;
        }

        /** Without an UNSUBSCRIBE: its answer, or messages that came before it, would be taken for those to the next command. */
        @Override
        public void close() {
            connection.setBroken();
            connection.close();
        }
    }

    @Override
    public boolean isPipelined() {
        return true;
    }

    @Override
    public boolean isCluster() {
        return servers instanceof RedisClusterConfiguration;
    }

    @Override
    public boolean isOneServer() {
        return !isCluster();
    }

    @Override
    public String serverOf(byte[] key) {
        return serverOf(ClusterSlotHashUtil.calculateSlot(key));
    }

    private String serverOf(int slot) {
        Open known = open;
        return known == null || known.cluster() == null
                ? ""
                : String.valueOf(known.cluster().getNode(slot));
    }

    @Override
    public List<Integer> slotOfEachMaster() {
        Map<String, Integer> slots = new TreeMap<>();
        if (isCluster()) {
            IntStream.range(0, ClusterSlotHashUtil.SLOT_COUNT).forEach(slot -> slots.putIfAbsent(serverOf(slot), slot));
        }
        return List.copyOf(slots.values());
    }

    @Override
    public String server() {
        return server;
    }

    @Override
    public Map<String, String> evictionPolicies() {
        Map<String, String> policies = new TreeMap<>();
        opened().pools()
                .get()
                .forEach((node, connections) -> policies.put(isCluster() ? node.toString() : "", policy(connections)));
        return policies;
    }

    /** By {@code INFO}, which a user who may do nothing but lock need not be allowed. */
    private static String policy(Pool<Connection> pool) {
        try (Connection connection = pool.getResource()) {
            connection.sendCommand(Protocol.Command.INFO, "memory");
            return connection
                    .getBulkReply()
                    .lines()
                    .filter(line -> line.startsWith(POLICY))
                    .map(line -> line.substring(POLICY.length()))
                    .findFirst()
                    .orElse("unknown");
        } catch (RuntimeException e) {
            log.debug("The eviction policy could not be read", e);
            return "unknown";
        }
    }

    /** A client of sentinels listens to them. */
    @Override
    public void refreshTopology() {
        Open known = open;
        if (known != null && known.cluster() != null) {
            known.cluster().renewSlotCache();
        }
    }
}
