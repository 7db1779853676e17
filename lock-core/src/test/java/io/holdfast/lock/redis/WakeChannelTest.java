package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;

/** A subscription whose server says nothing any more, while its connection stays open. */
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class WakeChannelTest {

    private static final String CLIENT = "client";
    private static final ScriptCodec LAYOUT = new ScriptCodec(RedisLockSettings.STANDARD);

    @Parameter
    private TestRedis.Client driver;

    private final RedisServerProcess server = RedisServerProcess.start();
    private final FaultProxy proxy = new FaultProxy(server.port());
    private final Jedis administrator = TestRedis.administrator(server.port());
    private final Received received = new Received();
    private final Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
    private RedisConnectionFactory applications;
    private RedisLockStore store;

    private static final class Received implements WakeListener {
        private final List<Long> awaited = new CopyOnWriteArrayList<>();
        private final AtomicInteger connections = new AtomicInteger();
        private final AtomicInteger losses = new AtomicInteger();

        @Override
        public void granted(long sequence, Reservation reservation) {}

        @Override
        public void awaited(long sequence, Waiters waiters) {
            awaited.add(sequence);
        }

        @Override
        public void connected() {
            connections.incrementAndGet();
        }

        @Override
        public void disconnected() {
            losses.incrementAndGet();
        }
    }

    @BeforeEach
    void open() {
        applications = driver.connect(proxy.port());
        store = new RedisLockStore(applications, RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(1)));
    }

    @AfterEach
    void close() {
        store.close();
        TestRedis.destroy(applications);
        proxy.close();
        administrator.close();
        server.close();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(1, TimeUnit.MINUTES).until(condition);
    }

    private LockStore.Listening listen() {
        LockStore.Listening listening = store.listen(CLIENT, received);
        await(() -> received.connections.get() == 1);
        return listening;
    }

    private void awaitHint(long sequence) {
        byte[] hint = ("awaited " + sequence + " 1").getBytes(StandardCharsets.US_ASCII);
        await(() -> {
            administrator.publish(LAYOUT.channel(CLIENT), hint);
            return received.awaited.contains(sequence);
        });
    }

    private void assertSubscriptions(int count) {
        await(() -> subscribers().size() == count);
    }

    private List<String> subscribers() {
        return administrator
                .clientList(ClientType.PUBSUB)
                .lines()
                .map(line -> line.split(" ")[0])
                .toList();
    }

    private List<Thread> newThreads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name) && !threads.contains(thread))
                .toList();
    }

    @Tag("full")
    @Test
    void subscription_that_has_gone_silent_is_made_anew_when_a_call_is_not_answered() {
        store.inspect(LockKey.of("order:42"));
        try (LockStore.Listening listening = listen()) {
            proxy.silence();
            assertThatThrownBy(() -> store.inspect(LockKey.of("order:42"))).isInstanceOf(LockStoreException.class);

            awaitHint(1);
            assertThat(received.losses).hasPositiveValue();
            assertSubscriptions(1);
            await(() -> newThreads("holdfast-wakeups").size() == 1);
        }
    }

    @Tag("full")
    @Test
    void subscription_that_has_gone_silent_is_made_anew_when_the_client_misses_hints() {
        try (LockStore.Listening listening = listen()) {
            proxy.silence();
            listening.doubt();

            awaitHint(1);
        }
    }

    @Test
    void subscription_that_is_confirmed_stays() {
        try (LockStore.Listening listening = listen()) {
            List<String> before = subscribers();
            listening.doubt();
            await(() -> received.connections.get() == 2);
            listening.doubt();
            await(() -> received.connections.get() == 3);

            awaitHint(1);
            await(() -> newThreads("holdfast-wakeups-check").isEmpty());
            assertThat(received.losses).hasValue(0);
            assertThat(subscribers()).isEqualTo(before);
        }
    }

    @Tag("full")
    @Test
    void subscription_that_no_server_confirms_is_tried_again_until_one_does() {
        proxy.swallow("SUBSCRIBE");
        try (LockStore.Listening listening = store.listen(CLIENT, received)) {
            await(() -> proxy.swallowed() == 1);
            listening.doubt();
            await(() -> proxy.swallowed() == 3);
            proxy.swallow(null);

            awaitHint(1);
            await(() -> newThreads("holdfast-wakeups-check").isEmpty());
            assertSubscriptions(1);
        }
    }

    @Tag("full")
    @Test
    void server_that_hangs_for_a_while_and_goes_on_is_heard_again() {
        store.inspect(LockKey.of("order:42"));
        try (LockStore.Listening listening = listen()) {
            server.pause();
            assertThatThrownBy(() -> store.inspect(LockKey.of("order:42"))).isInstanceOf(LockStoreException.class);
            await(() -> received.losses.get() > 0);
            server.resume();

            awaitHint(1);
            assertSubscriptions(1);
        }
        assertSubscriptions(0);
    }

    @Tag("full")
    @Test
    void listening_ends_also_if_the_server_hangs() {
        LockStore.Listening listening = listen();
        server.pause();
        listening.doubt();
        listening.close();

        await(() -> newThreads("holdfast-wakeups").isEmpty());
        server.resume();
        assertSubscriptions(0);
    }
}
