package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Calls to a server that accepts connections and says nothing. */
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class HangingServerTest {

    private static final int THREADS = 12;
    private static final Duration TIMEOUT = Duration.ofMillis(800);
    private static final LockKey KEY = LockKey.of("hanging");

    @Parameter
    private TestRedis.Client client;

    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private RedisConnectionFactory applications;
    private RedisLockStore store;

    @AfterEach
    void close() {
        store.close();
        TestRedis.destroy(applications);
        proxy.close();
    }

    private void open(Duration timeout) {
        applications = client.connect(proxy.port());
        store = new RedisLockStore(applications, RedisLockSettings.STANDARD.withCommandTimeout(timeout));
    }

    /** How long each of many threads waits for the failure of its call. */
    private List<Duration> callOfEach() {
        List<CompletableFuture<Duration>> calls = Stream.generate(() -> NewThread.start(this::failingCall))
                .limit(THREADS)
                .toList();
        return calls.stream().map(CompletableFuture::join).toList();
    }

    private Duration failingCall() {
        Duration start = RunningTime.now();
        assertThatThrownBy(() -> store.inspect(KEY)).isInstanceOf(LockStoreException.class);
        return RunningTime.now().minus(start);
    }

    /** One after the other they would take twelve timeouts. */
    private void assertTogether(List<Duration> waits) {
        assertThat(waits).allSatisfy(wait -> assertThat(wait).isLessThan(TIMEOUT.multipliedBy(5)));
    }

    @Test
    void first_calls_of_many_threads_do_not_wait_for_each_other() {
        proxy.loseReplies(true);
        open(TIMEOUT);

        assertTogether(callOfEach());
    }

    @Test
    void calls_of_many_threads_do_not_wait_for_each_other_after_one_was_not_answered() {
        open(TIMEOUT);
        Awaitility.await().ignoreException(LockStoreException.class).until(() -> store.inspect(KEY) != null);
        proxy.loseReplies(true);

        for (int round = 0; round < 3; round++) {
            assertTogether(callOfEach());
        }
    }

    @Test
    void first_call_succeeds_once_the_server_answers() {
        proxy.loseReplies(true);
        open(TIMEOUT);
        failingCall();
        proxy.loseReplies(false);

        Awaitility.await().ignoreException(LockStoreException.class).until(() -> store.inspect(KEY) != null);
    }
}
