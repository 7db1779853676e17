package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import redis.clients.jedis.exceptions.JedisConnectionException;

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

    /** Reads until the connection breaks. */
    private static CompletableFuture<Void> read(SlotSubscription subscription, Set<String> confirmed) {
        return NewThread.start(() -> {
            while (true) {
                confirmed.add(new String((byte[]) subscription.next().get(1), StandardCharsets.US_ASCII));
            }
        });
    }

    @Test
    void threads_that_subscribe_at_the_same_time_do_not_mix_up_what_they_send() {
        Set<String> confirmed = ConcurrentHashMap.newKeySet();
        CyclicBarrier together = new CyclicBarrier(THREADS);
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(1, 0, Duration.ofSeconds(30));
                Connected connected = new Connected(cluster);
                SlotSubscription subscription = connected.subscribe()) {
            CompletableFuture<Void> reading = read(subscription, confirmed);
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
                    .until(() -> reading.isDone() || confirmed.size() == THREADS * CHANNELS_OF_EACH);
            assertThat(confirmed).hasSize(THREADS * CHANNELS_OF_EACH);
        }
    }

    /** A server would count it as subscribed, and nobody would read from it. */
    @Test
    void subscription_that_has_ended_does_not_connect_again() {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(1, 0, Duration.ofSeconds(30));
                Connected connected = new Connected(cluster);
                SlotSubscription subscription = connected.subscribe()) {
            subscription.close();

            assertThatThrownBy(() -> subscription.add(channel(0))).isInstanceOf(JedisConnectionException.class);
            assertThatThrownBy(subscription::next).isInstanceOf(JedisConnectionException.class);
        }
    }

    private static final class Connected implements AutoCloseable {

        private final RedisConnectionFactory applications;
        private final JedisConnections connections;

        Connected(RedisClusterProcesses cluster) {
            applications = TestRedis.Client.JEDIS.connect(cluster.address());
            connections = (JedisConnections)
                    RedisLockStore.template(applications, TestRedis.PATIENT).getRequiredConnectionFactory();
            connections.open(false);
        }

        SlotSubscription subscribe() {
            return connections.newSubscription(channel(0), 60_000);
        }

        @Override
        public void close() {
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
