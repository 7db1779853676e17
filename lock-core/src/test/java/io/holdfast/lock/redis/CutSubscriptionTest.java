package io.holdfast.lock.redis;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** Connections end at every step on the way to a subscription, again and again. */
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class CutSubscriptionTest {

    private static final ScriptCodec LAYOUT = new ScriptCodec(RedisLockSettings.STANDARD);
    private static final int ATTEMPTS = 5;

    @Parameter
    private TestRedis.Client driver;

    private final String client = UUID.randomUUID().toString();
    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private final Jedis administrator =
            TestRedis.administrator(TestRedis.shared().port());
    private final Received received = new Received();
    private RedisConnectionFactory applications;
    private RedisLockStore store;

    private static final class Received implements WakeListener {
        private final List<Long> awaited = new CopyOnWriteArrayList<>();
        private volatile boolean connected;

        @Override
        public void granted(long sequence, Reservation reservation) {}

        @Override
        public void awaited(long sequence, Waiters waiters) {
            awaited.add(sequence);
        }

        @Override
        public void connected() {
            connected = true;
        }

        @Override
        public void disconnected() {
            connected = false;
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
    }

    private void awaitHint(long sequence) {
        byte[] hint = ("awaited " + sequence + " 1").getBytes(StandardCharsets.US_ASCII);
        Awaitility.await().until(() -> {
            administrator.publish(LAYOUT.channel(client), hint);
            return received.awaited.contains(sequence) && received.connected;
        });
    }

    private void awaitAttempts() {
        int before = proxy.accepted();
        Awaitility.await().until(() -> proxy.accepted() >= before + ATTEMPTS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void subscription_is_there_once_connections_last(int answers) {
        proxy.cutAfter(answers);
        try (LockStore.Listening listening = store.listen(client, received)) {
            if (answers < 1) {
                awaitAttempts();
            }
            proxy.cut();
            proxy.cutAfter(null);

            awaitHint(1);
        }
    }

    @Test
    void subscription_is_there_after_connections_were_cut_in_quick_succession() throws Exception {
        try (LockStore.Listening listening = store.listen(client, received)) {
            awaitHint(1);
            for (int i = 0; i < 60; i++) {
                proxy.cut();
                Thread.sleep(i % 12 * 10L);
            }

            awaitHint(2);
        }
    }
}
