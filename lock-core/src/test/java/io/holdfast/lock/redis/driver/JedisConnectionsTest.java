package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import redis.clients.jedis.Connection;
import redis.clients.jedis.util.Pool;

class JedisConnectionsTest {

    private static final byte[] KEY = {'k'};

    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private JedisConnections connections;
    private Pool<Connection> pool;

    @BeforeEach
    void open() {
        open(Duration.ofMinutes(1));
    }

    @AfterEach
    void close() {
        connections.close();
        proxy.close();
    }

    private void open(Duration timeout) {
        connections = new JedisConnections(
                new RedisStandaloneConfiguration("127.0.0.1", proxy.port()),
                JedisClientConfiguration.defaultConfiguration(),
                "Redis at somewhere:6379",
                timeout,
                1);
        connections.start();
        pool = connections.pools().get(0);
    }

    @Test
    void connection_that_is_given_up_is_replaced_for_those_who_wait() {
        Connection unanswered = pool.getResource();
        CompletableFuture<Connection> waiter = NewThread.start(() -> connections.borrow(KEY));
        Awaitility.await().until(() -> pool.getNumWaiters() == 1);

        connections.giveUp(unanswered);

        try (Connection another = waiter.join()) {
            assertThat(another).isNotSameAs(unanswered);
            assertThat(another.ping()).isTrue();
        }
    }

    @Test
    void connection_that_is_given_up_is_not_replaced_for_nobody() {
        connections.giveUp(pool.getResource());

        assertThat(pool.getNumActive() + pool.getNumIdle()).isZero();
        assertThat(proxy.accepted()).isEqualTo(1);
    }

    @Test
    void connection_that_broke_is_replaced_at_once() {
        Connection broken = pool.getResource();
        broken.setBroken();

        connections.giveBack(broken);

        assertThat(pool.getNumIdle()).isEqualTo(1);
    }

    @Test
    void threads_that_start_at_the_same_time_make_one_client() {
        AtomicInteger made = new AtomicInteger();
        CountDownLatch second = new CountDownLatch(2);
        var customized = JedisClientConfiguration.builder().customizeClient(client -> {
            made.incrementAndGet();
            second.countDown();
            assertThatNoException().isThrownBy(() -> second.await(500, TimeUnit.MILLISECONDS));
        });
        connections.close();
        connections = new JedisConnections(
                new RedisStandaloneConfiguration("127.0.0.1", proxy.port()),
                customized.build(),
                "Redis at somewhere:6379",
                Duration.ofMinutes(1),
                1);
        List<CompletableFuture<Void>> starts = Stream.generate(() -> NewThread.<Void>start(() -> {
                    connections.start();
                    return null;
                }))
                .limit(2)
                .toList();

        starts.forEach(CompletableFuture::join);

        assertThat(made).hasValue(1);
    }

    @Test
    void nobody_begins_to_connect_when_the_time_of_its_call_is_over() {
        open(Duration.ZERO);

        assertThatThrownBy(() -> connections.borrow(KEY))
                .isInstanceOf(LockStoreException.class)
                .hasMessageStartingWith("No command was sent to Redis at somewhere:6379");

        assertThat(proxy.accepted()).isZero();
        pool.getResource().close();
        assertThat(proxy.accepted()).isEqualTo(1);
    }
}
