package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Replies that arrive byte by byte, each byte within the time limit of a command; the application's own timeouts are not for locks. */
@ParameterizedClass
@ValueSource(booleans = {false, true})
class TricklingRepliesTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofMillis(500);

    /** At one byte each half second, the shortest reply takes 10 s. */
    private static final Duration MUCH_SHORTER_THAN_A_REPLY = Duration.ofSeconds(5);

    @Parameter
    private boolean hasOwnTimeouts;

    private final LockKey key = LockKey.of("trickling:" + UUID.randomUUID());
    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private RedisConnectionFactory applications;
    private RedisLockStore store;

    @BeforeEach
    void open() {
        applications = hasOwnTimeouts ? withOwnTimeouts() : TestRedis.jedis(proxy.port());
        store = new RedisLockStore(applications, RedisLockSettings.STANDARD.withCommandTimeout(TIMEOUT));
        Awaitility.await().ignoreException(LockStoreException.class).until(() -> store.inspect(key) != null);
    }

    /** The timeout of its subscriptions is that of a command for locks. */
    private RedisConnectionFactory withOwnTimeouts() {
        JedisConnectionFactory factory = new JedisConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", proxy.port()),
                JedisClientConfiguration.builder()
                        .customizeClientConfig(client ->
                                client.timeoutMillis(60_000).blockingSocketTimeoutMillis((int) TIMEOUT.toMillis()))
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    @AfterEach
    void close() {
        store.close();
        TestRedis.destroy(applications);
        proxy.close();
    }

    private void assertFailsInTime() throws Exception {
        RunningTime.withoutPause(() -> {
            Duration start = RunningTime.now();
            assertThatThrownBy(() -> store.inspect(key)).isInstanceOf(LockStoreException.class);
            assertThat(RunningTime.now().minus(start)).isLessThan(MUCH_SHORTER_THAN_A_REPLY);
        });
    }

    @Test
    void time_limit_of_a_command_covers_its_whole_reply() throws Exception {
        proxy.trickle(PAUSE);

        assertFailsInTime();
    }

    @Test
    void time_limit_covers_all_replies_while_connecting() throws Exception {
        proxy.cut();
        proxy.trickle(PAUSE);

        assertFailsInTime();
    }

    @Test
    void next_call_on_a_new_connection_gets_its_own_reply() {
        proxy.trickle(PAUSE);
        assertThatThrownBy(() -> store.inspect(key)).isInstanceOf(LockStoreException.class);
        proxy.trickle(null);

        AcquireReply reply = store.acquire(
                Requests.exclusive(key, new OwnerId("client", 1), 1000, new HolderInfo("web-1", 1, "main"), false));

        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
    }

    @Test
    void subscription_without_messages_lasts_longer_than_the_time_limit() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        AtomicInteger losses = new AtomicInteger();
        WakeListener listener = new WakeListener() {
            @Override
            public void granted(long sequence, Reservation reservation) {}

            @Override
            public void awaited(long sequence, Waiters waiters) {}

            @Override
            public void connected() {
                connections.incrementAndGet();
            }

            @Override
            public void disconnected() {
                losses.incrementAndGet();
            }
        };
        try (LockStore.Listening listening = store.listen("client", listener)) {
            Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> connections.get() > 0);
            int before = losses.get();
            Thread.sleep(TIMEOUT.toMillis() * 5 / 2);

            assertThat(losses).hasValue(before);
        }
    }
}
