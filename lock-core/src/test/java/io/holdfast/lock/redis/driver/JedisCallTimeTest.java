package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** More threads than connections while Redis hangs: a call takes one command timeout, not one for each thing that it waits for. */
class JedisCallTimeTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final int CONNECTIONS = 3;
    private static final int THREADS = 12;

    private final String key = "time:" + UUID.randomUUID() + ":";
    private final Set<Thread> before = Thread.getAllStackTraces().keySet();
    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private final JedisConnectionFactory applications = TestRedis.jedis(proxy.port());
    private final LockEngine locks = LockEngine.builder(new RedisLockStore(
                    applications,
                    RedisLockSettings.STANDARD.withConnections(CONNECTIONS).withCommandTimeout(TIMEOUT)))
            .build();

    @AfterEach
    void close() {
        locks.close();
        TestRedis.destroy(applications);
        proxy.close();
    }

    private void connect() {
        Awaitility.await().ignoreException(LockStoreException.class).until(() -> {
            locks.acquire(key + "warm").close();
            return true;
        });
    }

    /** How much longer each call took than it may wait; each thread makes that many calls. */
    private List<Duration> excesses(int calls, Duration waitFor, IntFunction<LockRequest> requests) {
        List<CompletableFuture<List<Duration>>> threads = IntStream.range(0, THREADS)
                .mapToObj(i -> NewThread.start(() -> {
                    List<Duration> took = new ArrayList<>();
                    for (int call = 0; call < calls; call++) {
                        Duration start = RunningTime.now();
                        assertThatThrownBy(() -> locks.acquire(requests.apply(i).waitFor(waitFor)))
                                .isInstanceOf(LockStoreException.class);
                        took.add(RunningTime.now().minus(start).minus(waitFor));
                    }
                    return took;
                }))
                .toList();
        return threads.stream().flatMap(thread -> thread.join().stream()).toList();
    }

    private LockRequest own(int thread) {
        return LockRequest.of(key + thread);
    }

    private static void assertOneTimeout(List<Duration> excesses) {
        assertThat(excesses)
                .allSatisfy(excess ->
                        assertThat(excess).isLessThan(TIMEOUT.multipliedBy(3).dividedBy(2)));
    }

    /** Once there was a connection: connecting for the first time has a limit of its own. */
    @Test
    void single_try_takes_one_command_timeout_also_if_it_is_made_again() {
        connect();
        proxy.loseReplies(true);

        assertOneTimeout(excesses(4, Duration.ZERO, this::own));
    }

    @Test
    void caller_with_a_budget_takes_one_command_timeout_more() {
        connect();
        proxy.loseReplies(true);

        assertOneTimeout(excesses(2, TIMEOUT.dividedBy(2), this::own));
    }

    @Test
    void nothing_outlives_the_client() {
        connect();
        proxy.loseReplies(true);
        excesses(1, Duration.ZERO, this::own);

        locks.close();

        Awaitility.await()
                .atMost(TIMEOUT.multipliedBy(2))
                .untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> name.startsWith("holdfast-"))
                .toList();
    }
}
