package io.holdfast.lock.redis.driver;

import static org.springframework.util.StringUtils.capitalize;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.ServerConnections.Place;
import io.holdfast.lock.store.ConnectionsInUseException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
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
import org.springframework.util.StringUtils;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;

/**
 * Jedis on connections that only locks use, configured like the application's factory, except for timeouts and pool. Scripts are sent
 * directly over a connection: compared with a call of 50 µs, the cost of the objects that Spring Data and Jedis' clients create for each
 * call is noticeable. Jedis locates the primary through its sentinels, and the slots of a cluster.
 *
 * <p><b>One command timeout.</b> Nobody waits for a second one. A call waits for a connection until half of the timeout has passed, and its
 * replies have the rest, at least half. It begins to connect only in the first half of its timeout; only in the first tenth if the server
 * is known to hang, because connecting then takes another timeout. A caller without a reply gives its place back empty, see {@link
 * ServerConnections}.
 */
public final class JedisConnections implements Wire {

    private static final Logger log = LoggerFactory.getLogger(JedisConnections.class);

    /** Firewalls drop silent connections, some after a few minutes. */
    private static final Duration MAX_IDLE = Duration.ofMinutes(1);

    /**
     * A caller may be overtaken for a command timeout divided by this number, 20 ms by default. With 64 threads on 16 connections, few
     * wait longer; 50 ms did not result in more calls.
     */
    private static final int OVERTAKEN_FOR = 50;

    private static final String CLOSED = "The connections for locks are closed";

    private final RedisConfiguration servers;
    private final String server;
    private final Duration timeout;
    private final int connections;
    private final JedisClientConfig config;
    private final Map<HostAndPort, ServerConnections> pools = new ConcurrentHashMap<>();
    private volatile boolean unanswered;
    private volatile @Nullable Topology open;
    private volatile boolean stopped;
    private volatile boolean closed;

    /**
     * Where the servers are.
     *
     * @param cluster null for a single server
     * @param masterOf returns the master of a slot
     */
    private record Topology(
            @Nullable ClusterConnectionProvider cluster, IntFunction<HostAndPort> masterOf, Runnable close) {}

    /**
     * Creates an instance, which does not connect yet.
     *
     * @param servers one server, sentinels or a cluster, with users and passwords
     * @param client the rest of the application's configuration
     * @param server what {@link #server()} returns
     * @param timeout limits the wait for a connection and for the reply, together
     * @param connections the maximum number, for each server
     */
    JedisConnections(
            RedisConfiguration servers,
            JedisClientConfiguration client,
            String server,
            Duration timeout,
            int connections) {
        this.servers = servers;
        this.server = server;
        this.timeout = timeout;
        this.connections = connections;
        this.config = config(client);
    }

    /** {@return where the servers of a {@code JedisConnectionFactory} are} */
    public static RedisConfiguration servers(RedisConnectionFactory applications) {
        JedisConnectionFactory original = (JedisConnectionFactory) applications;
        RedisConfiguration cluster = original.getClusterConfiguration();
        RedisConfiguration sentinel = original.getSentinelConfiguration();
        if (cluster != null) {
            return cluster;
        }
        return sentinel == null ? Objects.requireNonNull(original.getStandaloneConfiguration()) : sentinel;
    }

    /** {@return the settings of a {@code JedisConnectionFactory} that connections for locks do not support, for messages} */
    public static List<String> obstacles(RedisConnectionFactory applications) {
        JedisClientConfiguration client = ((JedisConnectionFactory) applications).getClientConfiguration();
        DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder();
        client.getClientConfigCustomizer().ifPresent(each -> each.customize(builder));
        List<String> found = new ArrayList<>();
        if (client.getClientCustomizer().isPresent()) {
            found.add("a JedisClientBuilderCustomizer");
        }
        if (builder.build().getAuthXManager() != null) {
            found.add("an AuthXManager");
        }
        return found;
    }

    /** {@return connections that are configured like a {@code JedisConnectionFactory}} The parameters are those of the constructor. */
    public static Wire like(RedisConnectionFactory applications, String server, Duration timeout, int connections) {
        JedisClientConfiguration client = ((JedisConnectionFactory) applications).getClientConfiguration();
        return new JedisConnections(servers(applications), client, server, timeout, connections);
    }

    private JedisClientConfig config(JedisClientConfiguration client) {
        int millis = (int) timeout.toMillis();
        DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder()
                .connectionTimeoutMillis(millis)
                .socketTimeoutMillis(millis)
                .database(RedisConfiguration.getDatabaseOrElse(servers, () -> 0))
                .ssl(client.isUseSsl());
        Optional.ofNullable(RedisConfiguration.getUsernameOrElse(servers, () -> ""))
                .filter(StringUtils::hasLength)
                .ifPresent(builder::user);
        password(RedisConfiguration.getPasswordOrElse(servers, RedisPassword::none), builder);
        client.getClientName().ifPresent(builder::clientName);
        if (client.isUseSsl()) {
            client.getSslSocketFactory().ifPresent(builder::sslSocketFactory);
            client.getSslParameters().ifPresent(builder::sslParameters);
            client.getHostnameVerifier().ifPresent(builder::hostnameVerifier);
        }
        client.getClientConfigCustomizer().ifPresent(each -> each.customize(builder));
        return builder.build();
    }

    private static void password(RedisPassword password, DefaultJedisClientConfig.Builder builder) {
        password.toOptional().map(String::new).ifPresent(builder::password);
    }

    /** Sentinels have separate users, and no databases. */
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
        locate();
        if (!isCluster()) { // a cluster's nodes have just been located
            giveBack(borrow(new byte[0], System.nanoTime(), null));
        }
    }

    @Override
    public void start() {
        stopped = false;
        locate();
    }

    /**
     * With sentinels or a cluster, this calls servers. A concurrent caller waits, because a second topology would never be
     * closed. A thread that was about to connect does not restart what has been stopped.
     */
    private synchronized void locate() {
        if (open != null) {
            return;
        }
        Assert.state(!stopped && !closed, CLOSED);
        open = topology();
        if (stopped || closed) {
            stop();
        }
    }

    private Topology topology() {
        ConnectionPoolConfig unpooled = new ConnectionPoolConfig();
        unpooled.setJmxEnabled(false);
        unpooled.setMaxIdle(0);
        unpooled.setMaxWait(timeout);
        if (servers instanceof RedisClusterConfiguration cluster) {
            Set<HostAndPort> nodes = addresses(cluster.getClusterNodes());
            var provider = new ClusterConnectionProvider(nodes, config, unpooled);
            return new Topology(
                    provider,
                    slot -> Objects.requireNonNullElseGet(
                            provider.getNode(slot), nodes.iterator()::next), // which redirects
                    provider::close);
        }
        if (servers instanceof RedisSentinelConfiguration sentinels) {
            var provider = new SentineledConnectionProvider(
                    Objects.requireNonNull(sentinels.getRequiredMaster().getName()),
                    config,
                    unpooled,
                    addresses(sentinels.getSentinels()),
                    ofSentinels(sentinels));
            return new Topology(null, slot -> provider.getCurrentMaster(), provider::close);
        }
        RedisStandaloneConfiguration single = (RedisStandaloneConfiguration) servers;
        HostAndPort only = new HostAndPort(single.getHostName(), single.getPort());
        return new Topology(null, slot -> only, () -> {});
    }

    private static Set<HostAndPort> addresses(Collection<RedisNode> nodes) {
        return nodes.stream()
                .map(node ->
                        new HostAndPort(Objects.requireNonNull(node.getHost()), Objects.requireNonNull(node.getPort())))
                .collect(Collectors.toSet());
    }

    private Topology opened() {
        Topology known = open;
        Assert.state(known != null, CLOSED);
        return known;
    }

    @Override
    public void stop() {
        stopped = true;
        Topology known = open;
        open = null;
        if (known != null) {
            known.close().run();
        }
        retain(Set.of());
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
    public Supplier<Answers> send(
            List<ScriptCall> calls, Acks acks, long start, @Nullable RuntimeException redirection) {
        Place place = borrow(calls.get(0).keysAndArgs()[0], start, redirection);
        var unused = attempt(place, () -> write(place.connection(), calls, acks, redirection));
        long timeoutNanos = timeout.toNanos();
        long left = Math.max(timeoutNanos - (System.nanoTime() - start), timeoutNanos / 2);
        return () -> {
            List<Object> replies = attempt(place, () -> read(place.connection(), calls.size(), acks, left));
            Object acknowledged = acks.number() > 0 ? replies.remove(calls.size()) : Long.valueOf(0);
            Answers answers = new Answers(replies, acknowledged instanceof Long replicas ? replicas : 0);
            if (answers.isOfReplica(calls)) {
                place.disconnect();
                // The other connections lead to the same replica.
                pools.values().forEach(pool -> pool.clear(System.nanoTime()));
            }
            giveBack(place);
            if (acknowledged instanceof RuntimeException e) {
                throw e;
            }
            return answers;
        };
    }

    /** Flushes by reading no replies, because Jedis offers no other way to flush. */
    private static List<Object> write(
            Connection connection, List<ScriptCall> calls, Acks acks, @Nullable RuntimeException redirection) {
        if (redirection instanceof JedisAskDataException) {
            connection.executeCommand(Protocol.Command.ASKING);
        }
        for (ScriptCall call : calls) {
            CommandArguments command = new CommandArguments(
                            call.byText() ? Protocol.Command.EVAL : Protocol.Command.EVALSHA)
                    .add(call.byText() ? call.script().text : call.script().sha)
                    .add(call.keys())
                    .addObjects((Object[]) call.keysAndArgs());
            connection.sendCommand(command);
        }
        if (acks.number() > 0) {
            connection.sendCommand(new CommandArguments(Protocol.Command.WAIT)
                    .add(acks.number())
                    .add(acks.timeout().toMillis()));
        }
        return connection.getMany(0);
    }

    /** Leaves the connection with its usual timeout. */
    private List<Object> read(Connection connection, int calls, Acks acks, long nanos) {
        setTimeout(connection, nanos);
        List<Object> replies = connection.getMany(calls);
        if (acks.number() > 0) {
            setTimeout(connection, nanos + acks.timeout().toNanos());
            replies.addAll(connection.getMany(1));
        }
        setTimeout(connection, timeout.toNanos());
        return replies;
    }

    private static void setTimeout(Connection connection, long nanos) {
        connection.setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    /**
     * After a failure the connection is out of step, so it is not used again. The error of a script is a reply, not a failure. If the
     * connection broke, the server may have restarted, so connections that have been idle for longer are not used again either.
     */
    private <T> T attempt(Place place, Supplier<T> step) {
        try {
            return step.get();
        } catch (RuntimeException | Error e) {
            if (RedisFailures.hasTimeout(e)) {
                unanswered = true;
            } else if (place.connection != null
                    && e instanceof JedisConnectionException
                    && !Thread.currentThread().isInterrupted()) {
                place.clearOlder();
            }
            place.disconnect();
            place.giveBack();
            throw e;
        }
    }

    /** Takes back a place whose calls have all received replies. */
    private void giveBack(Place place) {
        if (unanswered) {
            unanswered = false;
        }
        place.giveBack();
    }

    /**
     * Takes a place with a connection to the server that has the key, or to the server named in a redirection.
     *
     * @throws LockStoreException if the time limit of the call has expired; nothing was sent
     */
    Place borrow(byte[] key, long start, @Nullable RuntimeException redirection) {
        HostAndPort address = redirection instanceof JedisRedirectionException elsewhere
                ? elsewhere.getTargetNode()
                : opened().masterOf().apply(ClusterSlotHashUtil.calculateSlot(key));
        long timeoutNanos = timeout.toNanos();
        Place place;
        try {
            place = pool(address).take(timeoutNanos / 2 - (System.nanoTime() - start));
        } catch (NoSuchElementException e) {
            throw unanswered ? noResponse(e) : e;
        }
        if (place.connection == null) {
            if (System.nanoTime() - start >= timeoutNanos / (unanswered ? 10 : 2)) {
                place.giveBack();
                throw noTimeLeft();
            }
            place.connection = attempt(place, () -> {
                var unused = opened(); // may have been closed during the wait
                return new Connection(address, config);
            });
        }
        return place;
    }

    /** With sentinels, a new server replaces the previous one; servers of a cluster are forgotten once they no longer belong to it. */
    private ServerConnections pool(HostAndPort address) {
        ServerConnections known = pools.get(address);
        if (known == null) {
            known = pools.computeIfAbsent(
                    address, added -> new ServerConnections(connections, MAX_IDLE, timeout.dividedBy(OVERTAKEN_FOR)));
            if (open == null) {
                retain(Set.of());
            } else if (!isCluster()) {
                retain(Set.of(address));
            }
        }
        return known;
    }

    private void retain(Set<HostAndPort> wanted) {
        pools.forEach((address, pool) -> {
            if (!wanted.contains(address)) {
                pools.remove(address);
                pool.close();
            }
        });
    }

    /**
     * A server that does not reply uses up all connections, and so do many calls; a slow processor uses up the time to connect.
     */
    private LockStoreException noTimeLeft() {
        SocketTimeoutException reason = new SocketTimeoutException("No time left to connect");
        return unanswered
                ? noResponse(reason)
                : new LockStoreException(
                        "No command was sent to " + server
                                + ", because its time limit expired before it could connect. Check that this process gets enough"
                                + " CPU time (the CPU limit of its container), and that holdfast.redis.command-timeout is long enough.",
                        new ConnectionsInUseException(reason),
                        false);
    }

    private LockStoreException noResponse(Exception reason) {
        return new LockStoreException(
                capitalize(server)
                        + " did not respond in time, and all connections for locks are waiting for it. Check"
                        + " that the server responds, and that holdfast.redis.command-timeout is long enough.",
                reason,
                false);
    }

    /**
     * Connects to any master of a cluster, because each receives all messages. A caller whose attempt fails tries again, and may get
     * another one.
     */
    @Override
    public RedisConnection newSubscription() {
        locate();
        int slot = ThreadLocalRandom.current().nextInt(ClusterSlotHashUtil.SLOT_COUNT);
        return new Subscriber(new Connection(opened().masterOf().apply(slot), config));
    }

    @Override
    public void breakOff(RedisConnection subscription) {
        subscription.close();
    }

    /**
     * One subscription on one connection. The thread that subscribes reads from the socket without a timeout, so only
     * closing that socket frees it from a server that hangs.
     */
    private static final class Subscriber extends JedisConnection {

        private final Connection connection;

        /** Spring Data's client would itself borrow a connection, and not reveal which. */
        Subscriber(Connection connection) {
            super(new UnifiedJedis(connection) {
                @Override
                public void subscribe(BinaryJedisPubSub messages, byte[]... channels) {
                    messages.proceed(connection, channels);
                }
            });
            this.connection = connection;
        }

        /** Without an UNSUBSCRIBE: its reply, or messages that arrive before that, would be taken for replies to the next command. */
        @Override
        public void close() {
            ServerConnections.disconnect(connection);
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
    public String serverOf(byte[] key) {
        return serverOf(ClusterSlotHashUtil.calculateSlot(key));
    }

    private String serverOf(int slot) {
        Topology known = open;
        return known == null || !isCluster() ? "" : known.masterOf().apply(slot).toString();
    }

    @Override
    public Map<String, Integer> slotOfEachMaster() {
        Map<String, Integer> slots = new TreeMap<>();
        int all = isCluster() ? ClusterSlotHashUtil.SLOT_COUNT : 1;
        IntStream.range(0, all).forEach(slot -> slots.putIfAbsent(serverOf(slot), slot));
        return slots;
    }

    @Override
    public String server() {
        return server;
    }

    /** Only for a cluster: a client of sentinels is notified by them. */
    @Override
    public void refreshTopology() {
        Topology known = open;
        if (known != null && known.cluster() != null) {
            known.cluster().renewSlotCache();
            retain(known.cluster().getNodes().keySet().stream()
                    .map(HostAndPort::from)
                    .collect(Collectors.toSet()));
        }
    }
}
