package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.testing.NewThread;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.core.RedisTemplate;

/** A driver that takes its time to connect, as on a slow processor. */
class FirstConnectionTest {

    private final AtomicInteger attempts = new AtomicInteger();
    private final CountDownLatch slow = new CountDownLatch(1);
    private volatile RuntimeException refusal;

    private final ScriptClient first = new ScriptClient(
            new RedisTemplate<>(),
            (Wire) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Wire.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("server")) {
                            return "Redis at 127.0.0.1:6379";
                        }
                        assertThat(method.getName()).isEqualTo("open");
                        attempts.incrementAndGet();
                        slow.await();
                        if (refusal != null) {
                            throw refusal;
                        }
                        return null;
                    }),
            false,
            Duration.ofSeconds(1),
            List.of(),
            () -> {});

    @AfterEach
    void end() {
        slow.countDown();
    }

    private CompletableFuture<Void> caller() {
        return NewThread.start(() -> {
            first.connect(Duration.ofMinutes(5));
            return null;
        });
    }

    @Test
    void callers_wait_for_one_attempt() {
        List<CompletableFuture<Void>> callers =
                Stream.generate(this::caller).limit(12).toList();
        Awaitility.await().until(() -> attempts.get() > 0);
        assertThat(callers).noneMatch(CompletableFuture::isDone);

        slow.countDown();

        callers.forEach(CompletableFuture::join);
        first.connect(Duration.ZERO);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void caller_without_patience_may_try_again_and_reads_what_to_check() {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> first.connect(Duration.ofMillis(1)))
                    .isInstanceOfSatisfying(LockStoreException.class, e -> {
                        assertThat(e.outcomeUnknown()).isFalse();
                        assertThat(e.getCause())
                                .isInstanceOfSatisfying(
                                        ConnectionsInUseException.class,
                                        cause -> assertThat(cause.isFirstConnection())
                                                .isTrue());
                    })
                    .hasMessageMatching(
                            "No command was sent to Redis at 127\\.0\\.0\\.1:6379, because connecting for the"
                                    + " first time has taken \\d+ ms so far\\. Check that this process gets enough CPU"
                                    + " time \\(the CPU limit of its container\\), and that the server accepts connections\\.");
        }
        Awaitility.await().until(() -> attempts.get() > 0);

        slow.countDown();

        first.connect(Duration.ofMinutes(5));
        assertThat(attempts).hasValue(1);
    }

    @Test
    void failure_is_known_to_have_sent_nothing_and_the_next_call_connects_again() {
        slow.countDown();
        refusal = new RedisConnectionFailureException("no", new ConnectException("Connection refused"));

        assertThatThrownBy(() -> first.connect(Duration.ofMinutes(5)))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        e -> assertThat(e.outcomeUnknown()).isFalse())
                .hasMessageStartingWith("Redis at 127.0.0.1:6379 cannot be reached.");
        refusal = null;

        first.connect(Duration.ofMinutes(5));
        assertThat(attempts).hasValue(2);
    }

    @Test
    void interrupt_ends_the_wait_of_one_caller() {
        Thread caller = Thread.currentThread();
        CompletableFuture<Void> other = caller();
        caller.interrupt();

        assertThatThrownBy(() -> first.connect(Duration.ofMinutes(5)))
                .isInstanceOf(LockStoreException.class)
                .hasMessage("Interrupted while connecting to Redis at 127.0.0.1:6379");

        assertThat(Thread.interrupted()).isTrue();
        slow.countDown();
        other.join();
    }
}
