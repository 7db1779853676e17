package io.holdfast.lock.redis.driver.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

class JedisLenderTest {

    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private final ConnectionPoolConfig one = new ConnectionPoolConfig();
    private JedisLender lender;
    private ConnectionPool pool;

    @BeforeEach
    void open() {
        one.setMaxTotal(1);
        one.setMaxWait(Duration.ofMinutes(1));
        open(Duration.ofMinutes(1));
    }

    @AfterEach
    void close() {
        pool.close();
        proxy.close();
    }

    private void open(Duration timeout) {
        lender = new JedisLender(() -> List.of(pool), () -> "Redis at somewhere:6379", timeout.toNanos());
        pool = new ConnectionPool(
                new HostAndPort("127.0.0.1", proxy.port()),
                lender.guard(DefaultJedisClientConfig.builder().build()),
                one);
    }

    @Test
    void connection_that_is_given_up_is_replaced_for_those_who_wait() {
        Connection unanswered = pool.getResource();
        CompletableFuture<Connection> waiter = NewThread.start(() -> lender.inTime(pool::getResource));
        Awaitility.await().until(() -> pool.getNumWaiters() == 1);

        lender.giveUp(unanswered);

        try (Connection another = waiter.join()) {
            assertThat(another).isNotSameAs(unanswered);
            assertThat(another.ping()).isTrue();
        }
    }

    @Test
    void connection_that_is_given_up_is_not_replaced_for_nobody() {
        lender.giveUp(pool.getResource());

        assertThat(pool.getNumActive() + pool.getNumIdle()).isZero();
        assertThat(proxy.accepted()).isEqualTo(1);
    }

    @Test
    void connection_that_broke_is_replaced_at_once() {
        Connection broken = pool.getResource();
        broken.setBroken();

        lender.giveBack(broken);

        assertThat(pool.getNumIdle()).isEqualTo(1);
    }

    @Test
    void nobody_begins_to_connect_when_the_time_of_its_call_is_over() {
        open(Duration.ZERO);

        assertThatThrownBy(() -> lender.inTime(pool::getResource)).isInstanceOf(JedisException.class);

        assertThat(proxy.accepted()).isZero();
        pool.getResource().close();
        assertThat(proxy.accepted()).isEqualTo(1);
    }
}
