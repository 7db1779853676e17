package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.quorum.QuorumNode;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.threads.DaemonThreads;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The first call comes while the driver takes longer to load and to connect than a command may take, by both ways. */
@Timeout(60)
class ColdStartTest {

    private static final String KEY = "cold:start";
    private static final RedisLockSettings SETTINGS =
            RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(2));

    /** Makes connections when it may. */
    private interface Slow {
        LockStore open(CountDownLatch go, RedisLockSettings settings);
    }

    private final CountDownLatch go = new CountDownLatch(1);

    static Stream<Named<Slow>> ways() {
        return Stream.of(
                Named.of("Jedis", (go, settings) -> new RedisLockStore(jedis(go), settings)),
                Named.of("RedisTemplate", (go, settings) -> new RedisLockStore(template(go), settings)),
                Named.of("quorum", ColdStartTest::quorum));
    }

    private static LockStore quorum(CountDownLatch go, RedisLockSettings settings) {
        return new QuorumLockStore(
                Stream.of("a", "b", "c")
                        .map(name -> new QuorumNode(
                                name, new RedisLockStore(jedis(go), settings.withKeyPrefix("cold-" + name))))
                        .toList(),
                Duration.ofDays(1));
    }

    private static RedisConnectionFactory jedis(CountDownLatch go) {
        return new JedisConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", TestRedis.shared().port()),
                JedisClientConfiguration.builder()
                        .customizeClientConfig(config -> config.hostAndPortMapper(address -> {
                            await(go);
                            return address;
                        }))
                        .build());
    }

    private static RedisConnectionFactory template(CountDownLatch go) {
        LettuceConnectionFactory lettuce = TestRedis.lettuce(TestRedis.shared().port());
        return (RedisConnectionFactory) Proxy.newProxyInstance(
                ColdStartTest.class.getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class},
                (proxy, method, arguments) -> {
                    await(go);
                    return method.invoke(lettuce, arguments);
                });
    }

    private static void await(CountDownLatch go) {
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void end() {
        go.countDown();
    }

    /** Longer than a command may take. */
    private void goLater() {
        DaemonThreads.create(
                        () -> {
                            if (!await(Duration.ofSeconds(3))) {
                                go.countDown();
                            }
                        },
                        "later")
                .start();
    }

    private boolean await(Duration time) {
        try {
            return go.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void single_try_waits_until_there_is_a_connection(Slow way) {
        try (LockStore store = way.open(go, SETTINGS);
                LockEngine locks = LockEngine.builder(store).build()) {
            goLater();

            try (LockHandle held = locks.tryAcquire(KEY).orElseThrow()) {
                assertThat(held.isHeld()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void call_with_time_left_waits_until_there_is_a_connection(Slow way) {
        try (LockStore store = way.open(go, SETTINGS);
                LockEngine locks = LockEngine.builder(store).build()) {
            goLater();

            try (LockHandle held = locks.acquire(LockRequest.of(KEY).waitFor(Duration.ofSeconds(40)))) {
                assertThat(held.isHeld()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void budget_ends_the_wait_and_the_client_is_the_suspect(Slow way) {
        try (LockStore store = way.open(go, SETTINGS.withCommandTimeout(Duration.ofMillis(50)));
                LockEngine locks = LockEngine.builder(store).build()) {
            Duration start = RunningTime.now();

            assertThatThrownBy(() -> locks.acquire(LockRequest.of(KEY).waitFor(Duration.ofMillis(200))))
                    .isInstanceOfSatisfying(
                            LockStoreException.class,
                            e -> assertThat(e.outcomeUnknown()).isEqualTo(store instanceof QuorumLockStore))
                    .hasMessageContaining("No command was sent to Redis")
                    .hasMessageContaining("Check that this process gets enough CPU time");
            assertThat(RunningTime.now().minus(start)).isLessThan(ScriptClient.CONNECT_LIMIT);
        }
    }
}
