package io.holdfast.lock.redis.driver;

import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.DocumentedUser;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Needs servers that publish in slots, see {@code -Dembedded.redis.executable}. */
@EnabledIf("serversPublishInSlots")
class SlotSubscriptionTest {

    private static final int THREADS = 8;
    private static final int CHANNELS_OF_EACH = 1_000;

    static boolean serversPublishInSlots() {
        return TestRedis.version() >= DocumentedUser.SHARDED_FROM;
    }

    private static byte[] channel(int number) {
        return ("{slot}:" + number).getBytes(StandardCharsets.US_ASCII);
    }

    private static final class Confirmed implements SlotSubscription.Listener {

        private final Set<String> channels = ConcurrentHashMap.newKeySet();

        @Override
        public void subscribed(byte[] channel) {
            channels.add(new String(channel, StandardCharsets.US_ASCII));
        }

        @Override
        public void unsubscribed(byte[] channel) {}

        @Override
        public void message(byte[] body) {}
    }

    @Test
    void threads_that_subscribe_at_the_same_time_do_not_mix_up_what_they_send() {
        Confirmed confirmed = new Confirmed();
        CyclicBarrier together = new CyclicBarrier(THREADS);
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(1, 0, Duration.ofSeconds(30))) {
            RedisConnectionFactory applications = TestRedis.Client.JEDIS.connect(cluster.address());
            JedisConnections connections = (JedisConnections)
                    RedisLockStore.template(applications, TestRedis.PATIENT).getRequiredConnectionFactory();
            connections.open(false);
            try (SlotSubscription subscription = connections.newSubscription(channel(-1), 60_000, confirmed)) {
                CompletableFuture<Void> reading = NewThread.start(() -> {
                    subscription.read(channel(-1));
                    return null;
                });
                Awaitility.await().until(() -> confirmed.channels.size() == 1);

                List<CompletableFuture<Void>> adding = IntStream.range(0, THREADS)
                        .mapToObj(thread -> NewThread.<Void>start(() -> {
                            await(together);
                            IntStream.range(0, CHANNELS_OF_EACH)
                                    .forEach(i -> subscription.add(channel(thread * CHANNELS_OF_EACH + i)));
                            return null;
                        }))
                        .toList();
                adding.forEach(CompletableFuture::join);

                Awaitility.await()
                        .atMost(1, TimeUnit.MINUTES)
                        .until(() -> reading.isDone() || confirmed.channels.size() == THREADS * CHANNELS_OF_EACH + 1);
                Awaitility.await().until(() -> confirmed.channels.size() == THREADS * CHANNELS_OF_EACH + 1);
            }
            connections.close();
            TestRedis.destroy(applications);
        }
    }

    private static void await(CyclicBarrier together) {
        try {
            together.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
