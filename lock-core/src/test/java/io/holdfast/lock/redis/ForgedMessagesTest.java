package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** Somebody who may publish writes to a waiter's channel, and knows its acquisition. */
class ForgedMessagesTest {

    private final String key = "forged:" + UUID.randomUUID();

    private static byte[] bytes(String message) {
        return message.getBytes(StandardCharsets.UTF_8);
    }

    /** None of it may be believed, and none may end the subscription. */
    private static List<byte[]> forgeries(long sequence, long now) {
        long hour = 3_600_000_000L;
        byte[] long1 = new byte[1_000_000];
        Arrays.fill(long1, (byte) '9');
        byte[] binary = {(byte) 0xff, 0, (byte) 0x80, '\n', '\r', 0x1b};
        return Stream.concat(
                        Stream.of(long1, binary),
                        Stream.of(
                                        "",
                                        " ",
                                        "granted",
                                        "granted ",
                                        "granted x",
                                        "granted " + sequence,
                                        "granted " + sequence + " 1 1 1",
                                        "granted -1 1 1 1 1 0",
                                        "granted %d %d 1 %d %d 9".formatted(sequence, now, now, now + 1_000_000),
                                        "granted %d %d 1 %d %d -1".formatted(sequence, now, now, now + 1_000_000),
                                        "granted %d %d 1 %d %d 0".formatted(sequence, now, now, now + hour),
                                        "granted %d %d 1 %d %d 0".formatted(sequence, now + hour, now, now + 1_000_000),
                                        "granted %d %d 1 %d %d 0".formatted(sequence, now, now - hour, now),
                                        "granted %d 9007199254740993 1 %d %d 0"
                                                .formatted(sequence, now, now + 1_000_000),
                                        "granted %d 9223372036854775807 1 %d %d 0"
                                                .formatted(sequence, now, now + 1_000_000),
                                        "granted %d 9223372036854775808 1 %d %d 0"
                                                .formatted(sequence, now, now + 1_000_000),
                                        "granted %d %d 9223372036854775807 %d %d 0"
                                                .formatted(sequence, now, now, now + 1_000_000),
                                        "granted 99999999999999999999 1 1 1 1 0",
                                        "granted %d 1e15 1 %d %d 0".formatted(sequence, now, now),
                                        "awaited",
                                        "awaited " + sequence + " 7",
                                        "awaited 99999999999999999999 1",
                                        "a word of a later version " + sequence)
                                .map(ForgedMessagesTest::bytes))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(TestRedis.Client.class)
    void forged_messages_grant_nothing_and_the_subscription_lives_on(TestRedis.Client driver) {
        int port = TestRedis.shared().port();
        RedisConnectionFactory connections = driver.connect(port);
        StoreSpy store = new StoreSpy(new RedisLockStore(connections, TestRedis.PATIENT));
        try (Jedis redis = TestRedis.administrator(port);
                LockEngine holders = LockEngine.builder(store).build();
                LockEngine waiters = LockEngine.builder(store).build()) {
            LockHandle held = holders.acquire(key);
            LockRequest request = LockRequest.of(key).waitFor(Duration.ofMinutes(5));
            CompletableFuture<LockHandle> waiting = CompletableFuture.supplyAsync(() -> waiters.acquire(request));
            String channel = awaitListening(store, redis);
            AcquireRequest asked = store.acquires.get(1);
            List<String> time = redis.time();
            long now = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));

            forgeries(asked.owner().sequence(), now).forEach(forged -> redis.publish(bytes(channel), forged));

            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> waiters.wakeups() > 3 && store.acquires.size() > 2);
            assertThat(waiting).isNotDone();
            assertThat(held.isHeld()).isTrue();
            held.close();
            LockHandle handle = waiting.join();
            assertThat(handle.fencingToken())
                    .isEqualTo(store.inspect(LockKey.of(key)).lastFencingToken());
            assertThat(handle.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(30));
            assertThat(redis.pubsubNumSub(channel)).containsEntry(channel, 1L);
            handle.close();
        } finally {
            store.close();
            TestRedis.destroy(connections);
        }
    }

    private static String awaitListening(StoreSpy store, Jedis redis) {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> store.acquires.size() >= 2);
        String client = store.acquires.get(1).owner().clientId();
        String channel = "holdfast:wake:" + client;
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> redis.pubsubNumSub(channel).get(channel) == 1);
        return channel;
    }
}
