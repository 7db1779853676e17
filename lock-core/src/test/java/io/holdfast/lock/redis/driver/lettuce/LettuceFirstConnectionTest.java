package io.holdfast.lock.redis.driver.lettuce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.TestRedis;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** All calls of a Lettuce client share a connection; here the server lets them wait for it, for much longer than a test. */
class LettuceFirstConnectionTest {

    private final LockKey key = LockKey.of("first:" + UUID.randomUUID());
    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private final LettuceConnectionFactory applications = TestRedis.lettuce(proxy.port());
    private final RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT);

    @BeforeEach
    void hang() {
        proxy.loseReplies(true);
    }

    @AfterEach
    void close() {
        store.close();
        TestRedis.destroy(applications);
        proxy.close();
    }

    private void failingCall() {
        assertThatThrownBy(() -> store.inspect(key)).isInstanceOf(LockStoreException.class);
    }

    @Test
    void interrupt_ends_the_wait() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        CountDownLatch ended = new CountDownLatch(1);
        Thread caller = new Thread(() -> {
            failingCall();
            interrupted.set(Thread.currentThread().isInterrupted());
            ended.countDown();
        });
        caller.start();
        Awaitility.await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);

        caller.interrupt();

        ended.await();
        assertThat(interrupted).isTrue();
    }

    @Test
    void many_calls_make_one_connection() {
        List<Thread> callers =
                Stream.generate(() -> new Thread(this::failingCall)).limit(12).toList();
        callers.forEach(Thread::start);
        Awaitility.await().until(() -> callers.stream().allMatch(it -> it.getState() == Thread.State.TIMED_WAITING));

        Awaitility.await().until(() -> proxy.accepted() > 0);
        assertThat(proxy.accepted()).isEqualTo(1);
        callers.forEach(Thread::interrupt);
    }
}
