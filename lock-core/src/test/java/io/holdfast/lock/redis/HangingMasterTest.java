package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Sentinels still name a master that hangs, so each new connection leads to it again. */
@Tag("full")
class HangingMasterTest {

    private static final LockKey KEY = LockKey.of("hanging");
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final int THREADS = 12;

    @ParameterizedTest
    @EnumSource(value = TestRedis.Client.class, names = "JEDIS")
    void callers_do_not_wait_for_each_other(TestRedis.Client client) {
        try (RedisSentinelProcesses redis = RedisSentinelProcesses.start(1, Duration.ofMinutes(2))) {
            RedisConnectionFactory applications = client.connect(redis.address());
            try (RedisLockStore store =
                    new RedisLockStore(applications, RedisLockSettings.STANDARD.withCommandTimeout(TIMEOUT))) {
                Awaitility.await().ignoreException(LockStoreException.class).until(() -> store.inspect(KEY) != null);
                redis.master().pause();

                for (int round = 0; round < 4; round++) {
                    List<CompletableFuture<Duration>> calls = Stream.generate(() -> NewThread.start(() -> fail(store)))
                            .limit(THREADS)
                            .toList();
                    assertThat(calls).allSatisfy(call -> assertThat(call.join()).isLessThan(TIMEOUT.multipliedBy(5)));
                }
            }
            TestRedis.destroy(applications);
        }
    }

    private static Duration fail(RedisLockStore store) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> store.inspect(KEY)).isInstanceOf(LockStoreException.class);
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
