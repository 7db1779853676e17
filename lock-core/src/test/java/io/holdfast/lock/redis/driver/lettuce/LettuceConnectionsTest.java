package io.holdfast.lock.redis.driver.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.HeardLog;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** Servers that an application has declared in ways that its factory does not tell. */
class LettuceConnectionsTest {

    private static final String KEY = "order:42";

    private static RedisServerProcess server;

    private LettuceConnectionFactory applications;

    static List<RedisConfiguration> declarations() {
        return List.of(
                new RedisStandaloneConfiguration("127.0.0.1", server.port()),
                new RedisStaticMasterReplicaConfiguration("127.0.0.1", server.port()));
    }

    @BeforeAll
    static void start() {
        server = RedisServerProcess.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void close() {
        TestRedis.destroy(applications);
    }

    @ParameterizedTest
    @MethodSource("declarations")
    void locks_are_where_the_application_is(RedisConfiguration declared) {
        applications = new LettuceConnectionFactory(declared, LettuceClientConfiguration.defaultConfiguration());
        applications.afterPropertiesSet();
        applications.start();
        try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT);
                LockEngine locks = LockEngine.builder(store).build();
                LockEngine others = LockEngine.builder(store).build();
                Jedis redis = TestRedis.administrator(server.port())) {
            LockHandle held = locks.acquire(KEY);
            assertThat(redis.hget("lock:{" + KEY + "}", "token")).isEqualTo(String.valueOf(held.fencingToken()));
            CompletableFuture<Void> next = NewThread.start(() -> {
                others.acquire(LockRequest.of(KEY).waitFor(Duration.ofMinutes(1)))
                        .close();
                return null;
            });
            Awaitility.await().until(() -> locks.inspect(KEY).waiters() == 1);

            held.close();

            next.join();
        }
    }

    /** Lettuce warns of the second time. */
    @RepeatedTest(10)
    void subscription_is_closed_once() {
        applications = (LettuceConnectionFactory) TestRedis.Client.LETTUCE.connect(server.port());
        try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT);
                HeardLog log = new HeardLog("io.lettuce.core", Level.WARN)) {
            Connected listener = new Connected();
            LockStore.Listening listening = store.listen("client", listener);
            Awaitility.await().until(() -> listener.connected);

            listening.close();

            assertThat(log.events()).isEmpty();
        }
    }

    /** Lettuce may tell of the end of a former connection when the next one is there already. */
    @Test
    void loss_of_a_former_subscription_is_none_of_the_next_one() {
        applications = (LettuceConnectionFactory) TestRedis.Client.LETTUCE.connect(server.port());
        LettuceConnections wakeups = LettuceConnections.derive(applications, Duration.ofSeconds(30), false);
        AtomicInteger losses = new AtomicInteger();
        wakeups.onDisconnect(losses::incrementAndGet);
        try (RedisConnection former = subscribed(wakeups, "former");
                RedisConnection next = subscribed(wakeups, "next");
                Jedis administrator = TestRedis.administrator(server.port())) {
            Awaitility.await().until(() -> subscribers(administrator).size() == 2); // those of other tests have gone
            List<String> ids = subscribers(administrator);

            administrator.clientKill(new ClientKillParams().id(ids.get(0)));
            Awaitility.await().until(() -> losses.get() > 0);
            assertThat(wakeups.isSubscriptionLost()).isFalse();

            administrator.clientKill(new ClientKillParams().id(ids.get(1)));
            Awaitility.await().until(wakeups::isSubscriptionLost);
        } finally {
            wakeups.destroy();
        }
    }

    private static RedisConnection subscribed(LettuceConnections wakeups, String channel) {
        RedisConnection connection = wakeups.newConnection();
        connection.subscribe((message, pattern) -> {}, channel.getBytes(StandardCharsets.US_ASCII));
        return connection;
    }

    /** The older one comes first. */
    private static List<String> subscribers(Jedis administrator) {
        return administrator
                .clientList(ClientType.PUBSUB)
                .lines()
                .map(line -> line.replaceAll("^id=(\\d+) .*", "$1"))
                .sorted(Comparator.comparing(Long::valueOf))
                .toList();
    }

    private static final class Connected implements WakeListener {
        private volatile boolean connected;

        @Override
        public void connected() {
            connected = true;
        }

        @Override
        public void disconnected() {}

        @Override
        public void granted(long sequence, Reservation reservation) {}

        @Override
        public void awaited(long sequence, Waiters waiters) {}
    }
}
