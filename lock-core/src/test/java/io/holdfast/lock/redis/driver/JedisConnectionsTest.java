package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.lang.management.ManagementFactory;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.HostAndPortMapper;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;

class JedisConnectionsTest {

    private static final byte[] KEY = {'k'};

    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private JedisConnections connections;

    @BeforeEach
    void open() {
        open(Duration.ofMinutes(1), 1);
    }

    private void open(Duration timeout, int number) {
        open(proxy.port(), timeout, number);
    }

    private void open(int port, Duration timeout, int number) {
        connections = new JedisConnections(
                new RedisStandaloneConfiguration("127.0.0.1", port),
                JedisClientConfiguration.defaultConfiguration(),
                "Redis at somewhere:6379",
                timeout,
                number);
        connections.start();
    }

    private void openIdle(Duration timeout, int number) {
        connections.close();
        open(timeout, number);
        Stream.generate(() -> connections.borrow(KEY, false, System.nanoTime(), null))
                .limit(number)
                .toList()
                .forEach(ServerConnections.Slot::giveBack);
    }

    private List<Object> send() {
        return begin().get();
    }

    private Supplier<List<Object>> begin() {
        return begin(Duration.ZERO, null);
    }

    private Supplier<List<Object>> begin(Duration spent, RuntimeException redirection) {
        var call = new Wire.ScriptCall(LuaScript.INSPECT, 1, new byte[][] {KEY}, false);
        long start = System.nanoTime() - spent.toNanos();
        return connections.send(false, new Wire.Calls(List.of(call), true, Wire.Acks.NONE, start, redirection));
    }

    @AfterEach
    void close() {
        connections.close();
        proxy.close();
    }

    /** Otherwise the replies would have another half of it. */
    @Test
    void redirection_is_followed_only_in_the_first_half_of_the_command_timeout() {
        Duration half = Duration.ofSeconds(30);
        RuntimeException moved = new JedisMovedDataException("MOVED 1", new HostAndPort("127.0.0.1", proxy.port()), 1);
        send(); // there is a free connection

        assertThat(begin(half, null).get()).hasSize(1);
        assertThat(begin(Duration.ZERO, moved).get()).hasSize(1);
        assertThatThrownBy(() -> begin(half, moved))
                .isInstanceOf(LockStoreException.class)
                .hasCauseInstanceOf(ConnectionsInUseException.class);
        assertThat(send()).hasSize(1);
    }

    @Test
    void asking_that_is_rejected_does_not_hide_the_reply_of_the_script() {
        RuntimeException ask = new JedisAskDataException("ASK 1", new HostAndPort("127.0.0.1", proxy.port()), 1);

        assertThat(begin(Duration.ZERO, ask).get()).singleElement().asString().contains("user_script");

        assertThat(send()).singleElement().asString().contains("user_script");
    }

    @Test
    void error_while_replies_are_examined_leaves_the_connection_usable() {
        Error error = new OutOfMemoryError("on purpose");
        AtomicBoolean failing = new AtomicBoolean();
        List<Wire.ScriptCall> calls = new AbstractList<>() {
            @Override
            public Wire.ScriptCall get(int index) {
                if (failing.get()) {
                    throw error;
                }
                return new Wire.ScriptCall(LuaScript.INSPECT, 1, new byte[][] {KEY}, false);
            }

            @Override
            public int size() {
                return 1;
            }
        };
        Supplier<List<Object>> sent =
                connections.send(false, new Wire.Calls(calls, true, Wire.Acks.NONE, System.nanoTime(), null));
        failing.set(true);

        assertThatThrownBy(sent::get).isSameAs(error);

        assertThat(send()).hasSize(1);
    }

    @Test
    void threads_that_start_at_the_same_time_wait_for_each_other() {
        AtomicInteger connects = new AtomicInteger();
        CountDownLatch second = new CountDownLatch(2);
        AtomicBoolean together = new AtomicBoolean();
        HostAndPortMapper slow = address -> {
            second.countDown();
            if (connects.getAndIncrement() == 0) {
                assertThatNoException().isThrownBy(() -> together.set(second.await(500, TimeUnit.MILLISECONDS)));
            }
            return address;
        };
        connections.close();
        connections = new JedisConnections(
                new RedisClusterConfiguration(List.of("127.0.0.1:" + proxy.port())),
                JedisClientConfiguration.builder()
                        .customizeClientConfig(client -> client.hostAndPortMapper(slow))
                        .build(),
                "a cluster",
                Duration.ofMinutes(1),
                1);
        List<CompletableFuture<Void>> starts = Stream.generate(() -> NewThread.<Void>start(() -> {
                    assertThatThrownBy(connections::start).hasMessageContaining("slots cache");
                    return null;
                }))
                .limit(2)
                .toList();

        starts.forEach(CompletableFuture::join);

        assertThat(together).isFalse();
    }

    /** On JDK 21 to 23, a virtual thread would keep its carrier from all others while it waits for a server. */
    @Test
    void nodes_of_a_cluster_are_asked_outside_of_synchronized() {
        List<String> monitors = new CopyOnWriteArrayList<>();
        AtomicInteger asked = new AtomicInteger();
        HostAndPortMapper look = address -> {
            asked.incrementAndGet();
            long[] here = {Thread.currentThread().getId()};
            Stream.of(ManagementFactory.getThreadMXBean()
                            .getThreadInfo(here, true, false)[0]
                            .getLockedMonitors())
                    .map(monitor -> monitor.getLockedStackFrame().getClassName())
                    .filter(owner -> owner.startsWith("io.holdfast."))
                    .forEach(monitors::add);
            return address;
        };
        connections.close();
        connections = new JedisConnections(
                new RedisClusterConfiguration(List.of("127.0.0.1:" + proxy.port())),
                JedisClientConfiguration.builder()
                        .customizeClientConfig(client -> client.hostAndPortMapper(look))
                        .build(),
                "a cluster",
                Duration.ofMinutes(1),
                1);

        assertThatThrownBy(() -> connections.open(false)).hasMessageContaining("slots cache");
        assertThatThrownBy(connections::start).hasMessageContaining("slots cache");
        assertThatThrownBy(connections::newSubscription).hasMessageContaining("slots cache");

        assertThat(asked).hasValueGreaterThanOrEqualTo(3);
        assertThat(monitors).isEmpty();
    }

    /** Jedis 8 would begin each with HELLO 3. */
    @Test
    void connections_begin_with_the_same_commands_on_all_versions_of_jedis() {
        connections.close();
        try (RedisServerProcess server = RedisServerProcess.start()) {
            open(server.port(), Duration.ofMinutes(1), 1);
            send();

            try (Jedis redis = TestRedis.administrator(server.port())) {
                assertThat(redis.info("commandstats")).contains("cmdstat_eval").doesNotContain("cmdstat_hello");
            }
        }
    }

    @Test
    void nobody_begins_to_connect_when_the_time_of_its_call_is_over() {
        long late = System.nanoTime() - Duration.ofSeconds(31).toNanos();

        assertThatThrownBy(() -> connections.borrow(KEY, false, late, null))
                .isInstanceOf(LockStoreException.class)
                .hasMessageStartingWith("No command was sent to Redis at somewhere:6379")
                .hasCauseInstanceOf(ConnectionsInUseException.class);

        assertThat(proxy.accepted()).isZero();
        assertThat(connections.borrow(KEY, false, System.nanoTime(), null).connection)
                .isNotNull();
        assertThat(proxy.accepted()).isEqualTo(1);
    }

    /** As after a restart of the server. */
    @Test
    void connection_that_is_broken_takes_along_those_that_were_idle_for_longer() {
        openIdle(Duration.ofMinutes(1), 64);
        proxy.cut();

        assertThatThrownBy(this::send).isInstanceOf(JedisConnectionException.class);

        assertThat(send()).hasSize(1);
        assertThat(proxy.accepted()).isEqualTo(65);
    }

    /** They may all be dead without a sign, as after the restart of a firewall. */
    @Test
    void call_without_a_reply_takes_along_those_that_were_idle_for_longer() {
        openIdle(Duration.ofSeconds(4), 4);
        proxy.lose();

        assertThatThrownBy(this::send).hasRootCauseInstanceOf(SocketTimeoutException.class);

        assertThat(send()).hasSize(1);
        assertThat(proxy.accepted()).isEqualTo(5);
    }

    /** The server is slow, or one connection is: no reason to connect again. */
    @Test
    void call_without_a_reply_leaves_connections_alone_that_were_used_since() {
        openIdle(Duration.ofSeconds(4), 2);
        ServerConnections.Slot used = connections.borrow(KEY, false, System.nanoTime(), null);
        proxy.loseReplies(true);
        Supplier<List<Object>> sent = begin();
        used.giveBack();
        assertThatThrownBy(sent::get).hasRootCauseInstanceOf(SocketTimeoutException.class);
        proxy.loseReplies(false);

        assertThat(send()).hasSize(1);

        assertThat(proxy.accepted()).isEqualTo(2);
    }

    @Test
    void thread_that_was_about_to_connect_does_not_start_again_what_was_stopped() {
        connections.stop();

        assertThatThrownBy(connections::newSubscription).hasMessageContaining("are closed");
        assertThatThrownBy(() -> connections.open(false)).hasMessageContaining("are closed");
        assertThat(proxy.accepted()).isZero();

        connections.start();
        connections.newSubscription().close();
        assertThat(proxy.accepted()).isEqualTo(1);
    }

    /** It would begin without a password, and nobody would read from it. */
    @Test
    void subscription_that_is_closed_does_not_connect_again_to_send() {
        RedisConnection connection = connections.newSubscription();
        CompletableFuture<Void> reading = NewThread.start(() -> {
            connection.subscribe((message, pattern) -> {}, KEY);
            return null;
        });
        try (Jedis redis = TestRedis.administrator(TestRedis.shared().port())) {
            Awaitility.await().until(() -> redis.publish(KEY, KEY) == 1);
        }
        Subscription subscription = Objects.requireNonNull(connection.getSubscription());
        connection.close();

        assertThatThrownBy(reading::join).hasCauseInstanceOf(RedisConnectionFailureException.class);
        assertThatThrownBy(() -> subscription.subscribe(KEY)).isInstanceOf(JedisConnectionException.class);
        assertThat(proxy.accepted()).isEqualTo(1);
    }

    @Test
    void caller_that_waits_for_a_connection_makes_none_after_the_stop() throws Exception {
        ServerConnections.Slot taken = connections.borrow(KEY, false, System.nanoTime(), null);
        CompletableFuture<ServerConnections.Slot> waiter =
                NewThread.start(() -> connections.borrow(KEY, false, System.nanoTime(), null));
        Thread.sleep(100);

        connections.stop();
        taken.giveBack();

        assertThatThrownBy(waiter::join).hasMessageContaining("are closed");
        assertThat(proxy.accepted()).isEqualTo(1);
    }

    @Test
    void socket_is_closed_when_the_log_in_ends_with_an_error() {
        Error failure = new AssertionError("A provider that fails");
        connections.close();
        try (RedisServerProcess server = RedisServerProcess.start();
                Jedis redis = TestRedis.administrator(server.port())) {
            open(server.port(), Duration.ofMinutes(1), 1);
            connections.authenticate(
                    () -> {
                        throw failure;
                    },
                    () -> () -> {});

            assertThatThrownBy(connections::newSubscription).isSameAs(failure);

            Awaitility.await().until(() -> redis.clientList().lines().count() == 1);
        }
    }

    /** Whose type, like that of the field that it hides, is the application's own. */
    @Test
    void subscription_is_taken_from_the_pool_of_a_client_whose_class_has_a_field_of_that_name() {
        HostAndPort address = new HostAndPort("127.0.0.1", proxy.port());
        ConnectionProvider pool = new PooledConnectionProvider(address);
        UnifiedJedis client = new UnifiedJedis(pool, 1, Duration.ofSeconds(1)) { // public in Jedis 7 and 8
                    private final String provider = "of something else";

                    @Override
                    public String toString() {
                        return provider;
                    }
                };
        try (client) {
            RedisConnection connection = JedisConnections.subscription(new JedisConnection(client));

            assertThat(connection).isInstanceOf(Wire.Breakable.class);
            connection.close();
        }
    }

    @Test
    void client_without_a_pool_subscribes_itself() {
        RedisConnection connection = new JedisConnection(new UnifiedJedis(new Connection()) {});

        assertThat(JedisConnections.subscription(connection)).isSameAs(connection);
    }
}
