package io.holdfast.lock.redis.driver;

import static org.springframework.util.StringUtils.capitalize;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.ServerConnections.Slot;
import io.holdfast.lock.store.ConnectionsInUseException;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;
import redis.clients.authentication.core.Token;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisCredentialsProvider;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.authentication.AuthXManager;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.IOUtils;

/**
 * A factory of Jedis connections that only locks use, configured like the application's factory, except for timeouts and pool. Jedis
 * locates the primary through its sentinels, and the slots of a cluster.
 *
 * <p>All threads share one {@link RedisConnection}, which has no state: it borrows a connection of the pool for each call. Scripts are sent
 * directly over that one: compared with a call of 50 µs, the cost of the objects that Spring Data and Jedis' clients create for each
 * call is noticeable.
 *
 * <p><b>One command timeout.</b> Nobody waits for a second one. A call waits for a connection until half of the timeout has passed, and its
 * replies have the rest, at least half, counted from the send: a thread that reads replies from several servers waits for all of them
 * together no longer than for one. It begins to connect, or follows a redirection, only in the first half of its timeout; it connects only
 * in the first tenth if the server is known to hang, because connecting then takes another timeout. A caller without a reply gives its
 * place back empty, see {@link ServerConnections}.
 */
public final class JedisConnections implements Wire, RedisConnectionFactory {

    private static final Logger log = LoggerFactory.getLogger(JedisConnections.class);

    /** Firewalls drop silent connections, some after a few minutes. */
    private static final Duration MAX_IDLE = Duration.ofMinutes(1);

    /**
     * A caller may be overtaken for a command timeout divided by this number, 20 ms by default. With four threads for each connection, few
     * wait longer; 50 ms did not result in more calls.
     */
    private static final int OVERTAKEN_FOR = 50;

    /** For renewals and entries, so that held locks are not lost if callers exhaust their connections. */
    private static final int BACKGROUND_CONNECTIONS = 2;

    /** Of a {@link UnifiedJedis}. A constant, so that it can be read without Jedis on the classpath. */
    public static final String POOL_FIELD = "provider";

    private static final String CLOSED = "The connections for locks are closed";

    private final RedisConfiguration servers;
    private final String server;
    private final Duration timeout;
    private final int connections;
    private volatile JedisClientConfig config;
    private final SharedConnection shared = new SharedConnection();
    private final Map<Pool, ServerConnections> pools = new ConcurrentHashMap<>();
    private final ReentrantLock locating = new ReentrantLock(); // not a monitor, which would pin a virtual thread
    private volatile boolean unanswered;
    private volatile boolean sharded;
    private volatile @Nullable Topology open;
    private volatile Runnable whenRenewed = () -> {};
    private Supplier<Runnable> watch = () -> () -> {};
    private volatile Runnable endWatch = () -> {};
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
     * Connections are the same with all versions of Jedis. By default, Jedis 8 begins each with HELLO 3, and warns that it does not on
     * connections to sentinels. Earlier versions do not have the method.
     */
    static final class WithoutHello implements JedisClientConfig {

        @SuppressWarnings("MissingOverride")
        public boolean isAutoNegotiateProtocol() {
            return false;
        }
    }

    /** Which pool: that of callers, or the one that they cannot exhaust. */
    private record Pool(HostAndPort address, boolean background) {}

    /**
     * Creates an instance, which does not connect yet.
     *
     * @param servers one server, sentinels or a cluster, with users and passwords
     * @param client the rest of the application's configuration
     * @param server what {@link #server()} returns
     * @param timeout limits the wait for a connection and for the reply, together
     * @param connections the maximum number for callers, for each server
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
        AuthXManager tokens = config.getAuthXManager();
        if (tokens == null) {
            authenticate(config.getCredentialsProvider(), watch);
        } else {
            authenticate(tokens);
        }
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
        return client.getClientCustomizer().isPresent() ? List.of("a JedisClientBuilderCustomizer") : List.of();
    }

    /** {@return connections that are configured like a {@code JedisConnectionFactory}} The parameters are those of the constructor. */
    public static RedisConnectionFactory like(
            RedisConnectionFactory applications, String server, Duration timeout, int connections) {
        JedisClientConfiguration client = ((JedisConnectionFactory) applications).getClientConfiguration();
        return new JedisConnections(servers(applications), client, server, timeout, connections);
    }

    /**
     * {@return the same connection; if it is only a view of a client with a pool, one that does nothing when it is closed} Before Spring
     * Data 4.1, and in its legacy mode, a connection is one of a pool, to which it has to be given back.
     */
    static RedisConnection unclosed(RedisConnection applications) {
        return applications.getNativeConnection() instanceof UnifiedJedis client ? new Unclosed(client) : applications;
    }

    /**
     * {@return a connection for a subscription, taken from the application's pool} Jedis' client would itself borrow one, not reveal which,
     * and give it back whenever the subscription ends. After an error or an interrupt, it is still subscribed, and whoever got it next would
     * read messages as replies. This one never goes back. No method returns a connection of every kind of client, so the field is read.
     * A client without a pool, such as a proxy or one of the application's own classes, subscribes itself.
     */
    static RedisConnection subscription(RedisConnection applications) {
        Object client = applications.getNativeConnection();
        if (client instanceof Jedis jedis) {
            return new Subscriber(jedis.getConnection(), jedis);
        }
        Field field = ReflectionUtils.findField(UnifiedJedis.class, POOL_FIELD);
        if (field != null) {
            ReflectionUtils.makeAccessible(field);
            if (ReflectionUtils.getField(field, client) instanceof ConnectionProvider pool) {
                Connection taken = pool.getConnection();
                return new Subscriber(taken, taken);
            }
        }
        return applications;
    }

    private static final class Unclosed extends JedisConnection {

        Unclosed(UnifiedJedis client) {
            super(client);
        }

        @Override
        public void close() {}
    }

    private JedisClientConfig config(JedisClientConfiguration client) {
        String user = RedisConfiguration.getUsernameOrElse(servers, () -> "");
        RedisPassword password = RedisConfiguration.getPasswordOrElse(servers, RedisPassword::none);
        DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder()
                .from(new WithoutHello())
                .database(RedisConfiguration.getDatabaseOrElse(servers, () -> 0))
                .credentialsProvider(null)
                .user(StringUtils.hasLength(user) ? user : null)
                .password(password.map(String::new).orElse(null))
                .ssl(client.isUseSsl());
        client.getClientName().ifPresent(builder::clientName);
        client.getSslSocketFactory().ifPresent(builder::sslSocketFactory);
        client.getSslParameters().ifPresent(builder::sslParameters);
        client.getHostnameVerifier().ifPresent(builder::hostnameVerifier);
        client.getClientConfigCustomizer().ifPresent(each -> each.customize(builder));
        return builder.timeoutMillis((int) timeout.toMillis())
                .blockingSocketTimeoutMillis(0)
                .build();
    }

    /**
     * Asks for credentials each time that a connection is made.
     *
     * @param watched begins to call {@link #renewCredentials} after each change, and returns what ends that; called whenever servers are
     *     located for the first time, or again after {@link #stop}
     */
    void authenticate(Supplier<RedisCredentials> credentials, Supplier<Runnable> watched) {
        config = DefaultJedisClientConfig.builder()
                .from(config)
                .authXManager(null) // Jedis' pools would stop it, and its connections refuse to subscribe
                .credentialsProvider(new Provider(
                        this, credentials instanceof RedisCredentialsProvider known ? known : credentials::get))
                .build();
        watch = watched;
    }

    /** Jedis closes the socket only after its own exceptions. */
    private record Provider(JedisConnections of, RedisCredentialsProvider applications)
            implements RedisCredentialsProvider {

        @Override
        public RedisCredentials get() {
            try {
                applications.prepare();
                return applications.get();
            } catch (RuntimeException e) {
                throw new JedisException(new LockStoreException(
                        "No command was sent to " + of.server + ", because its credentials could not be obtained (" + e
                                + "). Check the credentials provider of the application's Redis connections.",
                        e,
                        false));
            }
        }

        @Override
        public void cleanUp() {
            applications.cleanUp();
        }
    }

    static RedisCredentials credentials(@Nullable String user, char @Nullable [] password) {
        return new DefaultRedisCredentials(user, password);
    }

    private void authenticate(AuthXManager tokens) {
        Consumer<Token> renewal = token -> renewCredentials();
        Supplier<RedisCredentials> credentials = () -> {
            tokens.start(); // has no effect if it has been started
            return tokens.get();
        };
        authenticate(credentials, () -> {
            tokens.addPostAuthenticationHook(renewal);
            return () -> tokens.removePostAuthenticationHook(renewal);
        });
    }

    /**
     * Replaces all connections: they may end with the credentials that they were made with. Those that are in use are closed when they
     * come back.
     */
    void renewCredentials() {
        retain(Set.of());
        whenRenewed.run();
    }

    @Override
    public void whenRenewed(Runnable listener) {
        whenRenewed = listener;
    }

    /** Sentinels have separate users, and no databases. */
    private JedisClientConfig ofSentinels(RedisSentinelConfiguration sentinels) {
        return DefaultJedisClientConfig.builder()
                .from(config)
                .credentialsProvider(null)
                .user(sentinels.getSentinelUsername())
                .password(sentinels.getSentinelPassword().map(String::new).orElse(null))
                .database(0)
                .build();
    }

    @Override
    public void open(boolean background) {
        locate(null);
        if (!isCluster()) { // a cluster's nodes have just been located
            giveBack(borrow(new byte[0], background, System.nanoTime(), null));
        }
    }

    @Override
    public void start() {
        stopped = false;
        locate(null);
    }

    /**
     * With sentinels or a cluster, this calls servers. A concurrent caller waits, because a second topology would never be
     * closed. A thread that was about to connect does not restart what has been stopped.
     *
     * @param former what is replaced, unless no sentinel responds; null for nothing
     */
    private void locate(@Nullable Topology former) {
        locating.lock();
        try {
            if (Objects.equals(open, former)) {
                Assert.state(!stopped && !closed, CLOSED);
                if (former == null) {
                    endWatch.run();
                    endWatch = watch.get(); // may report at once what is known
                }
                open = topology();
                if (former != null) {
                    former.close().run();
                }
                if (stopped || closed) {
                    stop();
                }
            }
        } catch (NullPointerException e) { // a node's host is null, which Jedis does not expect
            throw noAddress(e);
        } finally {
            locating.unlock();
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
        endWatch.run();
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
    public Supplier<List<Object>> send(RedisTemplate<?, ?> door, boolean background, Calls calls) {
        return door.execute(connection -> send(background, calls), true);
    }

    Supplier<List<Object>> send(boolean background, Calls calls) {
        if (calls.redirection() != null && System.nanoTime() - calls.start() >= timeout.toNanos() / 2) {
            throw noTimeLeft();
        }
        Slot pooled = borrow(calls.all().get(0).keysAndArgs()[0], background, calls.start(), calls.redirection());
        var unused = attempt(pooled, () -> write(pooled.connection(), calls));
        long timeoutNanos = timeout.toNanos();
        long sentAt = System.nanoTime();
        long readUntil = sentAt + Math.max(timeoutNanos - (sentAt - calls.start()), timeoutNanos / 2);
        return () -> {
            List<Object> replies = attempt(pooled, () -> read(pooled, calls, readUntil - System.nanoTime()));
            giveBack(pooled);
            return replies;
        };
    }

    /** Flushes by reading no replies, because Jedis offers no other way to flush. */
    private List<Object> write(Connection connection, Calls calls) {
        if (calls.redirection() instanceof JedisAskDataException) {
            connection.sendCommand(Protocol.Command.ASKING);
        }
        for (ScriptCall call : calls.all()) {
            LuaScript script = call.script();
            byte[] sha = sharded ? script.shardedSha : script.sha;
            byte[] text = sharded ? script.shardedText : script.text;
            CommandArguments command = new CommandArguments(
                            calls.byText() ? Protocol.Command.EVAL : Protocol.Command.EVALSHA)
                    .add(calls.byText() ? text : sha)
                    .add(call.keys())
                    .addObjects((Object[]) call.keysAndArgs());
            connection.sendCommand(command);
        }
        Acks acks = calls.acks();
        if (acks.count() > 0) {
            connection.sendCommand(new CommandArguments(Protocol.Command.WAIT)
                    .add(acks.count())
                    .add(acks.timeout().toMillis()));
        }
        return connection.getMany(0);
    }

    /** Leaves the connection with its usual timeout; closes it if it leads to a replica. */
    private List<Object> read(Slot pooled, Calls calls, long nanos) {
        Connection connection = pooled.connection();
        setTimeout(connection, nanos);
        if (calls.redirection() instanceof JedisAskDataException) {
            connection.getMany(1); // even if it is rejected, the script may have been carried out
        }
        List<Object> replies = connection.getMany(calls.all().size());
        if (calls.acks().count() > 0) {
            setTimeout(connection, nanos + calls.acks().timeout().toNanos());
            replies.addAll(connection.getMany(1));
        }
        setTimeout(connection, timeout.toNanos());
        if (calls.areAnsweredByReplica(replies)) {
            pooled.disconnect();
            // The other connections lead to the same replica.
            pools.values().forEach(pool -> pool.clear(System.nanoTime()));
        }
        return replies;
    }

    private static void setTimeout(Connection connection, long nanos) {
        connection.setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    /**
     * After a failure the connection is out of step, so it is not used again. The error of a script is a reply, not a failure. If the
     * connection broke or was silent, the server may have restarted, so connections that have been idle for longer are not used again
     * either.
     */
    private <T> T attempt(Slot pooled, Supplier<T> step) {
        try {
            return step.get();
        } catch (RuntimeException | Error e) {
            if (RedisFailures.hasTimeout(e)) {
                unanswered = true;
            }
            if (pooled.connection != null
                    && e instanceof JedisConnectionException
                    && !Thread.currentThread().isInterrupted()) {
                pooled.clearOlder();
            }
            pooled.disconnect();
            pooled.giveBack();
            throw e;
        }
    }

    /** Takes back a place whose calls have all received replies. */
    private void giveBack(Slot pooled) {
        if (unanswered) {
            unanswered = false;
        }
        pooled.giveBack();
    }

    /**
     * Takes a place with a connection to the server that has the key, or to the server named in a redirection.
     *
     * @throws LockStoreException if the time limit of the call has expired; nothing was sent
     */
    Slot borrow(byte[] key, boolean background, long start, @Nullable RuntimeException redirection) {
        HostAndPort address = redirection instanceof JedisRedirectionException elsewhere
                ? elsewhere.getTargetNode()
                : opened().masterOf().apply(isCluster() ? ClusterSlotHashUtil.calculateSlot(key) : 0);
        if (address.getHost().equals("?")
                || (redirection != null && address.getHost().isEmpty())) {
            throw noAddress(redirection);
        }
        long timeoutNanos = timeout.toNanos();
        Slot pooled;
        try {
            pooled = pool(new Pool(address, background)).take(timeoutNanos / 2 - (System.nanoTime() - start));
        } catch (NoSuchElementException e) {
            throw unanswered ? noResponse(e) : e;
        }
        if (pooled.connection == null) {
            if (System.nanoTime() - start >= timeoutNanos / (unanswered ? 10 : 2)) {
                pooled.giveBack();
                throw noTimeLeft();
            }
            pooled.connection = attempt(pooled, () -> {
                var unused = opened(); // may have been closed during the wait
                return connect(address, config);
            });
        }
        return pooled;
    }

    /** With sentinels, a new server replaces the previous one; servers of a cluster are forgotten once they no longer belong to it. */
    private ServerConnections pool(Pool wanted) {
        ServerConnections known = pools.get(wanted);
        if (known == null) {
            int most = wanted.background() ? BACKGROUND_CONNECTIONS : connections;
            known = pools.computeIfAbsent(
                    wanted, added -> new ServerConnections(most, MAX_IDLE, timeout.dividedBy(OVERTAKEN_FOR)));
            if (open == null) {
                retain(Set.of());
            } else if (!isCluster()) {
                retain(Set.of(wanted.address()));
            }
        }
        return known;
    }

    private void retain(Set<HostAndPort> wanted) {
        pools.forEach((known, pool) -> {
            if (!wanted.contains(known.address())) {
                pools.remove(known);
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

    private LockStoreException noAddress(@Nullable Exception reason) {
        return new LockStoreException(
                capitalize(server)
                        + " does not report the addresses of its nodes. Set its cluster-preferred-endpoint-type to ip,"
                        + " or to hostname with a cluster-announce-hostname for each node; with Lettuce, holdfast.redis.connection=application works too.",
                reason,
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
        locate(null);
        int slot = ThreadLocalRandom.current().nextInt(ClusterSlotHashUtil.SLOT_COUNT);
        Connection connection = connect(opened().masterOf().apply(slot), config);
        return new Subscriber(connection, connection);
    }

    @Override
    public void publishInSlots(boolean wanted) {
        sharded = wanted;
    }

    @Override
    public SlotSubscription newSubscription(byte[] channel, int quietMillis) {
        HostAndPort address = opened().masterOf().apply(ClusterSlotHashUtil.calculateSlot(channel));
        return new ShardedSubscriber(connect(address, config), quietMillis);
    }

    /** By itself, Jedis would connect again to send on a connection that is closed, without AUTH or SELECT, and nobody would read. */
    private static Connection connect(HostAndPort address, JedisClientConfig config) {
        LimitedSocket only = new LimitedSocket(address, config);
        try {
            return new Connection(() -> only, config);
        } catch (RuntimeException | Error e) { // Jedis closes the socket only after its own exceptions
            IOUtils.closeQuietly(only);
            throw e;
        }
    }

    /** What all threads share. It offers the commands of Spring Data too, but no transactions, pipelines or subscriptions. */
    private final class SharedConnection extends JedisConnection {

        SharedConnection() {
            // A subclass, since the constructor is protected from Jedis 8 on; the connection in it never connects.
            super(
                    new UnifiedJedis(new Connection() {
                        @Override
                        public <T> T executeCommand(CommandObject<T> command) {
                            return sendAlone(command);
                        }
                    }) {});
        }

        @Override
        public void subscribe(MessageListener listener, byte[]... channels) {
            throw new InvalidDataAccessApiUsageException("The connection for locks has no subscriptions");
        }

        @Override
        public void pSubscribe(MessageListener listener, byte[]... patterns) {
            subscribe(listener, patterns);
        }

        /** It remains open. */
        @Override
        public void close() {}
    }

    private <T> T sendAlone(CommandObject<T> command) {
        List<Object> keys = command.getArguments().getKeys();
        byte[] key = !keys.isEmpty() && keys.get(0) instanceof byte[] first ? first : new byte[0];
        Slot pooled = borrow(key, false, System.nanoTime(), null);
        Supplier<T> reply = attempt(pooled, () -> {
            setTimeout(pooled.connection(), timeout.toNanos());
            try {
                T replied = pooled.connection().executeCommand(command);
                return () -> replied;
            } catch (JedisDataException e) {
                return () -> {
                    throw e;
                };
            }
        });
        giveBack(pooled);
        return reply.get();
    }

    @Override
    public RedisConnection getConnection() {
        return shared;
    }

    @Override
    public RedisClusterConnection getClusterConnection() {
        throw new InvalidDataAccessApiUsageException("Connections for locks have no cluster commands");
    }

    @Override
    public RedisSentinelConnection getSentinelConnection() {
        throw new InvalidDataAccessApiUsageException("Connections for locks have no sentinel commands");
    }

    @Override
    public boolean getConvertPipelineAndTxResults() {
        return true;
    }

    /** The connection throws what callers see. */
    @Override
    public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException e) {
        return null;
    }

    /**
     * A socket whose timeout covers everything that is read after {@link #setSoTimeout}, and all replies while connecting. The timeout
     * of other sockets applies to each read, so a reply that arrives byte by byte would have no limit. 0 is no limit: the timeout of
     * blocking calls, which subscriptions of one server have.
     *
     * <p>It forwards only what {@link Connection} calls. A subclass of that would be shorter, but which of its methods reads replies
     * depends on the version of Jedis.
     */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread reads, and any may close
    private static final class LimitedSocket extends Socket {

        private final Socket socket;

        /** By {@link System#nanoTime}; 0 for none. */
        private long deadline;

        LimitedSocket(HostAndPort address, JedisClientConfig config) {
            socket = new DefaultJedisSocketFactory(address, config).createSocket();
            setSoTimeout(config.getSocketTimeoutMillis());
        }

        @Override
        public void setSoTimeout(int millis) {
            deadline = millis == 0 ? 0 : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        }

        @Override
        public int getSoTimeout() throws SocketException {
            return socket.getSoTimeout();
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(socket.getInputStream()) {
                @Override
                public int read(byte[] buffer, int offset, int length) throws IOException {
                    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                    socket.setSoTimeout(deadline == 0 ? 0 : (int) Math.max(1, millis));
                    return super.read(buffer, offset, length);
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return socket.getOutputStream();
        }

        @Override
        public boolean isBound() {
            return socket.isBound();
        }

        @Override
        public boolean isConnected() {
            return socket.isConnected();
        }

        @Override
        public void close() throws IOException {
            super.close();
            socket.close();
        }
    }

    /**
     * One subscription on one connection. The thread that subscribes reads from the socket without a timeout, so only
     * closing that socket frees it from a server that hangs.
     */
    private static final class Subscriber extends JedisConnection implements Breakable {

        private final Connection connection;
        private final Closeable pooled;

        /** @param pooled the connection, as its pool knows it, if it is from a pool */
        Subscriber(Connection connection, Closeable pooled) {
            super(new UnifiedJedis(connection) {
                @Override
                public void subscribe(BinaryJedisPubSub messages, byte[]... channels) {
                    messages.proceed(connection, channels);
                }
            });
            this.connection = connection;
            this.pooled = pooled;
        }

        @Override
        public void breakOff() {
            ServerConnections.disconnect(connection);
        }

        /** A pool takes back only the place of a connection that is broken. */
        @Override
        public void close() {
            breakOff();
            IOUtils.closeQuietly(pooled);
        }
    }

    /** Jedis' own one is for one thread, and its first call subscribes and reads. */
    private static final class ShardedSubscriber implements SlotSubscription {

        private final ReentrantLock sending = new ReentrantLock(); // the driver's stream is for one thread at a time
        private final Connection connection;
        private final int quietMillis;

        ShardedSubscriber(Connection connection, int quietMillis) {
            this.connection = connection;
            this.quietMillis = quietMillis;
        }

        @Override
        public void add(byte[] channel) {
            sending.lock();
            try {
                connection.sendCommand(Protocol.Command.SSUBSCRIBE, channel);
                var unused = connection.getMany(0); // flushes
            } finally {
                sending.unlock();
            }
        }

        @Override
        public List<?> next() {
            connection.setSoTimeout(quietMillis);
            return (List<?>) connection.getUnflushedObject();
        }

        @Override
        public void close() {
            ServerConnections.disconnect(connection);
        }
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

    /**
     * Asks a cluster. Sentinels notify their clients of a new primary, but if these subscriptions are dead without a sign, Jedis never
     * learns of it, so new ones replace them.
     */
    @Override
    public void refreshTopology() {
        Topology known = open;
        if (known != null && known.cluster() != null) {
            known.cluster().renewSlotCache();
            retain(known.cluster().getNodes().keySet().stream()
                    .map(HostAndPort::from)
                    .collect(Collectors.toSet()));
        } else if (known != null && servers instanceof RedisSentinelConfiguration) {
            locate(known);
        }
    }
}
