package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.driver.SlotSubscription;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.testing.NoRoomForThreads;
import io.holdfast.lock.threads.DaemonThreads;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/** When connections begin and end. What servers do with them: {@code ShardedMessagesTest}. */
@Timeout(120)
class SlotChannelsTest {

    private static final String THREAD = "holdfast-wakeups-slots";
    private static final LockKey KEY = LockKey.of("order:42");
    private static final int CALLS_MILLIS = 1_200;
    private static final int RETRY_MILLIS = 500;

    private final AtomicInteger connections = new AtomicInteger();
    private final Wire wire = mock(Wire.class);
    private final SlotChannels channels =
            new SlotChannels(wire, key -> key.value().getBytes(StandardCharsets.US_ASCII), body -> {});

    /** What the server sends: nothing, until it ends. */
    private static final class Silent implements SlotSubscription {

        private final Set<String> added = ConcurrentHashMap.newKeySet();
        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public void add(byte[] channel) {
            added.add(new String(channel, StandardCharsets.US_ASCII));
        }

        @Override
        public List<?> next() {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("closed");
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    private void connecting(Supplier<SlotSubscription> connect) {
        when(wire.server()).thenReturn("the server");
        when(wire.serverOf(any())).thenReturn("host:6379");
        when(wire.newSubscription(any(), anyInt())).thenAnswer(call -> {
            connections.incrementAndGet();
            return connect.get();
        });
    }

    private static void awaitNoReader() {
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(each -> each.getName().equals(THREAD)));
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void many_locks_whose_subscription_fails_at_once_do_not_connect_all_the_time(boolean moved) {
        connecting(() -> {
            if (moved) {
                throw new JedisMovedDataException("MOVED 1 host:6380", new HostAndPort("host", 6380), 1);
            }
            throw new StackOverflowError();
        });
        long start = System.nanoTime();
        while (millisSince(start) < CALLS_MILLIS || (connections.get() < 2 && millisSince(start) < 60_000)) {
            channels.await(KEY);
        }
        channels.close();

        long elapsedMillis = millisSince(start);
        assertThat(connections.get()).isGreaterThan(1).isLessThanOrEqualTo((int) (1 + elapsedMillis / RETRY_MILLIS));
    }

    /** So none is open when a checkpoint is taken. The connection is made once the test sees that it is awaited. */
    @Test
    void connection_that_is_being_made_is_awaited_before_the_end() throws Exception {
        Silent subscription = new Silent();
        Thread closing = new Thread(channels::close, "closing");
        connecting(() -> {
            closing.start();
            while (closing.getState() != Thread.State.TIMED_WAITING) {
                assertThat(closing.isAlive()).isTrue();
                Thread.onSpinWait();
            }
            return subscription;
        });
        channels.await(KEY);
        Awaitility.await().until(() -> connections.get() == 1 && closing.getState() != Thread.State.NEW);
        closing.join();

        assertThat(subscription.closed.getCount()).isZero();
    }

    @Test
    void locks_awaited_while_there_is_no_room_for_a_thread_are_subscribed_to_later_on_one_connection()
            throws Exception {
        Silent subscription = new Silent();
        connecting(() -> subscription);
        try (var none = NoRoomForThreads.named(THREAD)) {
            channels.await(KEY);
            none.awaitRefusal();
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS + 100);
            channels.await(LockKey.of("other"));
        }
        Awaitility.await().until(() -> subscription.added.size() == 2);
        channels.await(KEY);

        assertThat(connections).hasValue(1);
        channels.close();
        awaitNoReader();
        assertThat(subscription.closed.getCount()).isZero();
    }

    @Test
    void threads_that_start_after_the_end_do_not_connect() throws Exception {
        connecting(Silent::new);
        when(wire.serverOf(any()))
                .thenAnswer(call -> new String(call.<byte[]>getArgument(0), StandardCharsets.US_ASCII));
        CountDownLatch laterStarted = new CountDownLatch(1);
        try (var none = NoRoomForThreads.named(THREAD)) {
            channels.await(KEY);
            none.awaitRefusal();
            channels.close();
            channels.await(LockKey.of("on another server"));
            DaemonThreads.create(laterStarted::countDown, THREAD + "-later").start();
        }
        assertThat(laterStarted.await(1, TimeUnit.MINUTES)).isTrue();
        awaitNoReader();

        assertThat(connections).hasValue(0);
    }
}
