package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.RedisLockSettings.Connection;
import io.holdfast.lock.redis.driver.JedisConnections;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.args.ClientType;

/**
 * A subscription on a connection of the application's Jedis pool. However it ends, nobody else may get that connection: messages would be
 * read there as replies.
 */
@ParameterizedClass
@EnumSource
class ApplicationSubscriptionTest {

    private static final String CLIENT = "client";
    private static final ScriptCodec LAYOUT = new ScriptCodec(RedisLockSettings.STANDARD);

    /** How the application reaches its Redis. */
    enum Application {
        ONE_SERVER,

        /** The connections of Spring Data before version 4.1. */
        LEGACY,

        SENTINEL,
        CLUSTER;

        private AutoCloseable start() {
            return switch (this) {
                case ONE_SERVER, LEGACY -> RedisServerProcess.start();
                case SENTINEL -> RedisSentinelProcesses.start(0, Duration.ofMinutes(5));
                case CLUSTER -> RedisClusterProcesses.start(1, 0, Duration.ofMinutes(5));
            };
        }

        private JedisConnectionFactory connect(RedisAddress address) {
            JedisPoolConfig pool = new JedisPoolConfig();
            pool.setMaxTotal(2);
            pool.setMaxWait(Duration.ofSeconds(10));
            pool.setJmxEnabled(false);
            JedisClientConfiguration client = JedisClientConfiguration.builder()
                    .usePooling()
                    .poolConfig(pool)
                    .build();
            RedisConfiguration place = place(address);
            JedisConnectionFactory factory = switch (this) {
                case ONE_SERVER, LEGACY -> new JedisConnectionFactory((RedisStandaloneConfiguration) place, client);
                case SENTINEL -> new JedisConnectionFactory((RedisSentinelConfiguration) place, client);
                case CLUSTER -> new JedisConnectionFactory((RedisClusterConfiguration) place, client);
            };
            factory.setUseUnifiedJedis(this != LEGACY);
            factory.afterPropertiesSet();
            factory.start();
            return factory;
        }

        private static RedisConfiguration place(RedisAddress address) {
            RedisConnectionFactory usual = TestRedis.Client.JEDIS.connect(address, "user", "password");
            try {
                return JedisConnections.servers(usual);
            } finally {
                TestRedis.destroy(usual);
            }
        }
    }

    private static AutoCloseable servers;
    private static RedisAddress address;
    private static Jedis administrator;

    @Parameter
    private Application application;

    private final Received received = new Received();
    private JedisConnectionFactory applications;
    private RedisLockStore store;

    private static final class Received implements WakeListener {
        private final AtomicInteger awaited = new AtomicInteger();
        private final AtomicInteger connections = new AtomicInteger();
        private final AtomicInteger losses = new AtomicInteger();
        private volatile boolean failing;

        @Override
        public void granted(long sequence, Reservation reservation) {}

        @Override
        public void awaited(long sequence, Waiters waiters) {
            awaited.incrementAndGet();
        }

        @Override
        public void connected() {
            connections.incrementAndGet();
            if (failing) {
                throw new IllegalStateException("A listener that fails");
            }
        }

        @Override
        public void disconnected() {
            losses.incrementAndGet();
        }
    }

    @BeforeParameterizedClassInvocation
    static void start(Application application) {
        servers = application.start();
        if (servers instanceof RedisSentinelProcesses sentinels) {
            address = sentinels.address();
            administrator = sentinels.master().connect();
        } else if (servers instanceof RedisClusterProcesses cluster) {
            address = cluster.address();
            administrator = cluster.nodes().get(0).connect();
        } else {
            int port = ((RedisServerProcess) servers).port();
            address = RedisAddress.standalone(port);
            administrator = TestRedis.administrator(port);
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() throws Exception {
        administrator.close();
        servers.close();
    }

    @BeforeEach
    void open() {
        administrator.aclSetUser("user", "on", ">password", "~*", "&*", "+@all");
        applications = application.connect(address);
        store = new RedisLockStore(applications, TestRedis.PATIENT.withConnection(Connection.APPLICATION));
    }

    @AfterEach
    void close() {
        store.close();
        applications.destroy();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(20, TimeUnit.SECONDS).until(condition);
    }

    private static Set<String> clients(ClientType... types) {
        return Stream.of(types)
                .flatMap(type -> administrator.clientList(type).lines())
                .filter(line -> line.contains(" user=user "))
                .map(line -> line.split(" ")[0])
                .collect(Collectors.toSet());
    }

    private LockStore.Listening listen() {
        LockStore.Listening listening = store.listen(CLIENT, received);
        await(() -> received.connections.get() > 0);
        return listening;
    }

    private void send() {
        administrator.publish(LAYOUT.channel(CLIENT), "awaited 1 1".getBytes(StandardCharsets.US_ASCII));
    }

    private void awaitMessage() {
        int before = received.awaited.get();
        await(() -> {
            send();
            return received.awaited.get() > before;
        });
    }

    private void assertGone(Set<String> subscriptions) {
        assertThat(subscriptions).hasSize(1);
        await(() -> clients(ClientType.NORMAL, ClientType.PUBSUB).stream().noneMatch(subscriptions::contains));
    }

    /** All connections of the pool are in use, one after another, and read what they have requested. */
    private void assertPoolIsSound() {
        for (int i = 0; i < 5; i++) {
            send();
            assertThat(store.inspect(LockKey.of("order:" + i)).holders()).isEmpty();
            try (RedisConnection connection = applications.getConnection()) {
                assertThat(connection.ping()).isEqualTo("PONG");
            }
        }
    }

    @Test
    void connection_of_a_subscription_that_ends_with_an_error_of_the_server_is_not_used_again() {
        try (LockStore.Listening listening = listen()) {
            Set<String> subscriptions = clients(ClientType.PUBSUB);
            administrator.aclSetUser("user", "-subscribe");
            listening.doubt();

            assertGone(subscriptions);
            assertPoolIsSound();
            administrator.aclSetUser("user", "+subscribe");
            awaitMessage();
        }
    }

    /** The pool would soon have only new connections. */
    @Test
    void user_without_the_permission_to_subscribe_costs_few_connections() throws InterruptedException {
        administrator.aclSetUser("user", "-subscribe");
        try (LockStore.Listening listening = store.listen(CLIENT, received)) {
            await(() -> received.losses.get() > 0);
            long before = connectionsReceived();
            Thread.sleep(1_500);

            assertThat(connectionsReceived() - before).isLessThan(4);
            assertPoolIsSound();
        }
    }

    private static long connectionsReceived() {
        return administrator
                .info("stats")
                .lines()
                .filter(line -> line.startsWith("total_connections_received:"))
                .mapToLong(line -> Long.parseLong(line.split(":")[1]))
                .sum();
    }

    @Test
    void connection_of_a_subscription_that_ends_with_an_error_of_a_callback_is_not_used_again() {
        try (LockStore.Listening listening = listen()) {
            Set<String> subscriptions = clients(ClientType.PUBSUB);
            received.failing = true;
            listening.doubt();

            await(() -> received.connections.get() > 5);
            assertGone(subscriptions);
            assertPoolIsSound();
            received.failing = false;
            awaitMessage();
        }
    }

    @Test
    void subscription_that_ends_with_an_interrupt_is_made_again_on_another_connection() {
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        try (LockStore.Listening listening = listen()) {
            Set<String> subscriptions = clients(ClientType.PUBSUB);
            List<Thread> readers = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("holdfast-wakeups") && !others.contains(thread))
                    .toList();
            assertThat(readers).hasSize(1);
            readers.get(0).interrupt();
            send();

            await(() -> received.connections.get() == 2);
            assertGone(subscriptions);
            awaitMessage();
            assertPoolIsSound();
        }
    }

    @Test
    void connection_of_a_subscription_that_was_closed_is_not_used_again() {
        LockStore.Listening listening = listen();
        Set<String> subscriptions = clients(ClientType.PUBSUB);
        listening.close();

        assertGone(subscriptions);
        assertPoolIsSound();
    }
}
