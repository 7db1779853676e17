package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import io.holdfast.lock.redis.RedisLockSettings.Connection;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;

/** The steps of threads that send on a subscription while others end it: to send on a closed connection, Jedis opens a socket. */
class AbandonedSubscriptionTest {

    private static final String SENT = "sent";
    private static final String BROKEN_OFF = "broken off";
    private static final String CLOSED = "closed";

    private final List<String> steps = new CopyOnWriteArrayList<>();
    private final CountDownLatch subscribed = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final Wire wire = mock(Wire.class);
    private final WakeListener listener = mock(WakeListener.class);
    private volatile Runnable whileSubscribing = () -> {};
    private volatile Runnable whileSending = () -> {};
    private WakeChannel channel;

    private void open(Duration patience) {
        RedisConnection connection = mock(RedisConnection.class, withSettings().extraInterfaces(Wire.Breakable.class));
        Subscription subscription = mock(Subscription.class);
        when(connection.getSubscription()).thenReturn(subscription);
        doAnswer(invoked -> {
                    try {
                        whileSubscribing.run();
                        channel.onChannelSubscribed(new byte[0], 1);
                    } finally {
                        subscribed.countDown();
                    }
                    end.await();
                    return null;
                })
                .when(connection)
                .subscribe(any(), any());
        doAnswer(invoked -> {
                    whileSending.run();
                    return steps.add(SENT);
                })
                .when(subscription)
                .subscribe(any());
        doAnswer(invoked -> steps.add(BROKEN_OFF))
                .when((Wire.Breakable) connection)
                .breakOff();
        doAnswer(invoked -> steps.add(CLOSED)).when(connection).close();
        when(wire.newSubscription()).thenReturn(connection).thenThrow(new IllegalStateException("No other connection"));
        channel = new WakeChannel(
                wire, new ScriptCodec(RedisLockSettings.STANDARD), "client", listener, true, patience, closed -> {});
        channel.thread.start();
        Awaitility.await().until(() -> subscribed.getCount() == 0);
    }

    @AfterEach
    void close() {
        end.countDown();
        if (channel != null) {
            channel.close();
        }
    }

    private void await(String step, int count) {
        Awaitility.await()
                .atMost(20, TimeUnit.SECONDS)
                .until(() -> steps.stream().filter(step::equals).count() >= count);
    }

    @Test
    void socket_that_was_opened_to_send_after_the_end_is_closed() {
        open(Duration.ofMinutes(1));
        whileSending = () -> {
            channel.reconnect();
            end.countDown();
        };
        channel.doubt();
        await(CLOSED, 1);

        assertThat(steps).containsExactly(BROKEN_OFF, SENT, BROKEN_OFF, CLOSED);
    }

    @Test
    void connection_is_closed_when_nobody_sends() {
        open(Duration.ofMinutes(1));
        whileSending = () -> {
            end.countDown();
            pause();
        };
        channel.doubt();
        await(CLOSED, 1);

        assertThat(steps).containsExactly(SENT, CLOSED);
    }

    private static void pause() {
        try {
            Thread.sleep(500);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void nothing_is_sent_on_a_connection_that_was_abandoned() {
        open(Duration.ofMillis(50));
        channel.reconnect();
        channel.doubt();
        await(BROKEN_OFF, 3);

        assertThat(steps).doesNotContain(SENT);
    }

    @Test
    void socket_that_was_opened_to_subscribe_after_the_end_is_closed() {
        whileSubscribing = () -> channel.reconnect();
        open(Duration.ofMinutes(1));

        await(BROKEN_OFF, 2);
        verify(listener, never()).connected();
    }

    /** Such as that of Jedis for tokens with RESP2. */
    @Test
    void subscription_that_the_driver_refuses_is_not_tried_again_at_once() throws InterruptedException {
        whileSubscribing = () -> {
            throw new InvalidDataAccessApiUsageException("Refused");
        };
        open(Duration.ofMinutes(1));
        await(CLOSED, 1);
        Thread.sleep(500);

        verify(wire).newSubscription();
    }

    /** Lettuce's command timeout is a minute. */
    @Test
    void thread_of_a_lettuce_subscription_ends_while_the_server_hangs() {
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        try (RedisServerProcess server = RedisServerProcess.start();
                FaultProxy proxy = new FaultProxy(server.port());
                Jedis administrator = TestRedis.administrator(server.port())) {
            LettuceConnectionFactory applications = new LettuceConnectionFactory("127.0.0.1", proxy.port());
            applications.afterPropertiesSet();
            applications.start();
            RedisLockSettings settings = RedisLockSettings.STANDARD.withConnection(Connection.APPLICATION);
            try (RedisLockStore store = new RedisLockStore(applications, settings)) {
                LockStore.Listening listening = store.listen("client", listener);
                verify(listener, timeout(20_000)).connected();
                proxy.swallow("SUBSCRIBE");
                listening.doubt();
                Awaitility.await().until(() -> proxy.swallowed() > 0);
                listening.close();

                Awaitility.await()
                        .atMost(20, TimeUnit.SECONDS)
                        .until(() -> Thread.getAllStackTraces().keySet().stream()
                                .noneMatch(thread ->
                                        thread.getName().startsWith("holdfast-wakeups") && !others.contains(thread)));
                Awaitility.await()
                        .until(() -> administrator.clientList(ClientType.PUBSUB).isBlank());
            } finally {
                applications.destroy();
            }
        }
    }
}
