package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.ServerNode;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.params.ClientKillParams;

/** All connections to a cluster are killed in quick succession, so each of them at another step. */
@Tag("full")
class ClusterSubscriptionTest {

    private static final int ROUNDS = 5;
    private static final int KILLS = 40;

    private static final class Received implements WakeListener {
        private volatile boolean connected;

        @Override
        public void granted(long sequence, Reservation reservation) {}

        @Override
        public void awaited(long sequence, Waiters waiters) {}

        @Override
        public void connected() {
            connected = true;
        }

        @Override
        public void disconnected() {
            connected = false;
        }
    }

    @ParameterizedTest
    @EnumSource(value = TestRedis.Client.class, names = "JEDIS")
    void subscription_is_there_again_and_stays_when_connections_last(TestRedis.Client client) throws Exception {
        Received received = new Received();
        try (RedisClusterProcesses redis = RedisClusterProcesses.start(2, 0, Duration.ofSeconds(30))) {
            RedisConnectionFactory applications = client.connect(redis.address());
            try (RedisLockStore store = new RedisLockStore(applications, RedisLockSettings.STANDARD);
                    LockStore.Listening listening = store.listen("client", received)) {
                Awaitility.await().until(() -> received.connected);

                for (int round = 0; round < ROUNDS; round++) {
                    for (int i = 0; i < KILLS; i++) {
                        redis.nodes().forEach(ClusterSubscriptionTest::killConnections);
                        Thread.sleep(i % 13 * 10L);
                    }
                    Awaitility.await().until(() -> received.connected);
                }

                Awaitility.await().during(Duration.ofSeconds(1)).until(() -> received.connected);
                assertThat(received.connected).isTrue();
            }
            TestRedis.destroy(applications);
        }
    }

    private static void killConnections(ServerNode node) {
        long unused = node.ask(jedis -> jedis.clientKill(new ClientKillParams().skipMe(ClientKillParams.SkipMe.YES)));
    }
}
