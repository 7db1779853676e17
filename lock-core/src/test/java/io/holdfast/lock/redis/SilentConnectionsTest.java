package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings.Connection;
import io.holdfast.lock.store.LockStore.Pending;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** All open connections of a client are dead and nobody says so, while new ones work. */
@ParameterizedClass
@EnumSource(value = Connection.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
class SilentConnectionsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final OwnerId OWNER = new OwnerId("client", 1);

    private final LockKey key = LockKey.of("silent:" + UUID.randomUUID());
    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private RedisConnectionFactory applications;
    private RedisLockStore store;

    @Parameter
    private Connection connection;

    @BeforeEach
    void open() {
        applications = connection == Connection.DEDICATED ? TestRedis.jedis(proxy.port()) : lettuce(proxy.port());
        store = new RedisLockStore(
                applications,
                RedisLockSettings.STANDARD.withConnection(connection).withCommandTimeout(TIMEOUT));
    }

    private static LettuceConnectionFactory lettuce(int port) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", port),
                LettuceClientConfiguration.builder()
                        .commandTimeout(TIMEOUT)
                        .shutdownQuietPeriod(Duration.ZERO)
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    @AfterEach
    void close() {
        store.close();
        TestRedis.destroy(applications);
        proxy.close();
    }

    /** Opens several connections for callers. */
    private void useMany() {
        await(() -> Stream.generate(() -> store.beginRelease(new ReleaseRequest(key, OWNER)))
                .limit(6)
                .toList()
                .forEach(Pending::await));
    }

    /** Lettuce's connection is checked while further calls wait. */
    private int mostFailures() {
        return connection == Connection.DEDICATED ? 1 : 5;
    }

    private static int failures(Runnable call) {
        for (int failures = 0; ; failures++) {
            try {
                call.run();
                return failures;
            } catch (LockStoreException e) {
                assertThat(failures).isLessThan(12);
            }
        }
    }

    @Test
    void call_fails_and_a_later_one_uses_a_new_connection() {
        useMany();
        proxy.lose();

        assertThat(failures(() -> store.inspect(key))).isLessThanOrEqualTo(mostFailures());
    }

    @Test
    void renewal_fails_and_a_later_one_uses_a_new_connection() {
        List<RenewRequest> renewal = List.of(Requests.renewal(key, OWNER, 1000));
        useMany();
        List<CompletableFuture<Integer>> both = Stream.generate(
                        () -> NewThread.start(() -> failures(() -> store.renew(renewal))))
                .limit(2)
                .toList();
        both.forEach(CompletableFuture::join);
        proxy.lose();

        assertThat(failures(() -> store.renew(renewal))).isLessThanOrEqualTo(mostFailures());
    }

    @Test
    void waiter_gets_a_lock_that_is_released_afterwards() throws Exception {
        RunningTime.withoutPause(() -> {
            try (RedisLockStore others = new RedisLockStore(
                            TestRedis.jedis(TestRedis.shared().port()), TestRedis.PATIENT);
                    LockEngine holder = LockEngine.builder(others).build();
                    LockEngine client = LockEngine.builder(store).build()) {
                LockHandle held = holder.acquire(LockRequest.of(key));
                useMany();
                CompletableFuture<Duration> waiter = NewThread.start(() -> {
                    try (LockHandle got = client.acquire(LockRequest.of(key).waitFor(Duration.ofMinutes(1)))) {
                        return RunningTime.now();
                    }
                });
                Awaitility.await().until(() -> holder.inspect(key.toString()).waiters() == 1);
                proxy.lose();
                TimeUnit.MILLISECONDS.sleep(300);
                held.close();
                Duration released = RunningTime.now();

                assertThat(waiter.join().minus(released)).isLessThan(Duration.ofSeconds(4));
            }
        });
    }

    /** The other commands of the application on it would fail. */
    @Test
    void connection_that_an_application_shares_is_kept_while_its_server_hangs() {
        try (RedisServerProcess server = RedisServerProcess.start()) {
            LettuceConnectionFactory shared = lettuce(server.port());
            try (RedisLockStore own =
                    new RedisLockStore(shared, RedisLockSettings.STANDARD.withConnection(Connection.APPLICATION))) {
                await(() -> own.inspect(key));
                Object before = shared.getConnection().getNativeConnection();
                server.pause();
                assertThatThrownBy(() -> own.inspect(key)).isInstanceOf(LockStoreException.class);
                server.resume();
                await(() -> own.inspect(key));

                assertThat(shared.getConnection().getNativeConnection()).isSameAs(before);
            } finally {
                TestRedis.destroy(shared);
            }
        }
    }

    private static void await(Runnable call) {
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .ignoreException(LockStoreException.class)
                .until(() -> {
                    call.run();
                    return true;
                });
    }
}
