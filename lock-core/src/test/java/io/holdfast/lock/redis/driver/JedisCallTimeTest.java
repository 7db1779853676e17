package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.threads.Uninterrupted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** More threads than connections while Redis hangs: a call takes one command timeout, not one for each thing that it waits for. */
class JedisCallTimeTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final int FEW_CONNECTIONS = 3;
    private static final int THREADS = 40;

    private final String key = "time:" + UUID.randomUUID() + ":";
    private final Set<Thread> before = Thread.getAllStackTraces().keySet();
    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private final JedisConnectionFactory applications = TestRedis.jedis(proxy.port());
    private LockEngine locks;

    private void open(int connections) {
        locks = LockEngine.builder(new RedisLockStore(
                        applications,
                        RedisLockSettings.STANDARD
                                .withMaxConnections(connections)
                                .withCommandTimeout(TIMEOUT)))
                .build();
        connect();
    }

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
        int allButFew = excesses.size() - (FEW_CONNECTIONS - 1); // single threads may stall
        assertThat(excesses.stream().sorted().limit(allButFew))
                .allSatisfy(excess ->
                        assertThat(excess).isLessThan(TIMEOUT.multipliedBy(8).dividedBy(5)));
    }

    /** All threads hold a lock when Redis begins to hang, and then make the same calls. */
    private List<Duration> callsOfHolders() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(THREADS);
        CountDownLatch hangs = new CountDownLatch(1);
        List<CompletableFuture<List<Duration>>> threads = IntStream.range(0, THREADS)
                .mapToObj(i -> NewThread.start(() -> {
                    LockHandle handle = locks.acquire(own(i).waitFor(Duration.ofMinutes(1)));
                    held.countDown();
                    Uninterrupted.await(hangs, TimeUnit.MINUTES.toNanos(2));
                    return callsOf(handle, i);
                }))
                .toList();
        assertThat(held.await(1, TimeUnit.MINUTES)).isTrue();
        proxy.loseReplies(true);
        hangs.countDown();
        return threads.stream().flatMap(thread -> thread.join().stream()).toList();
    }

    private List<Duration> callsOf(LockHandle handle, int thread) {
        String another = key + "another:" + thread;
        return List.of(
                time(() ->
                        assertFails(() -> locks.acquire(LockRequest.of(another).waitFor(Duration.ZERO)))),
                time(() -> assertFails(() -> locks.inspect(another))),
                time(() -> assertFails(() -> handle.extend(Duration.ofMinutes(5)))),
                time(handle::close)); // fails in the background
    }

    private static void assertFails(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(LockStoreException.class);
    }

    private static Duration time(Runnable call) {
        Duration start = RunningTime.now();
        call.run();
        return RunningTime.now().minus(start);
    }

    /** Once there was a connection: connecting for the first time has a limit of its own. */
    @Test
    void each_call_takes_one_command_timeout() throws Exception {
        open(FEW_CONNECTIONS);

        assertOneTimeout(callsOfHolders());
    }

    @Test
    @Tag("full")
    void each_call_takes_one_command_timeout_if_there_are_enough_connections() throws Exception {
        open(RedisLockSettings.STANDARD.maxConnections());

        assertOneTimeout(callsOfHolders());
    }

    @Test
    void caller_with_a_budget_takes_one_command_timeout_more() {
        open(FEW_CONNECTIONS);
        proxy.loseReplies(true);

        assertOneTimeout(excesses(1, TIMEOUT.dividedBy(2), this::own));
    }

    @Test
    void nothing_outlives_the_client() {
        open(FEW_CONNECTIONS);
        proxy.loseReplies(true);
        excesses(1, Duration.ZERO, this::own);

        locks.close();

        Awaitility.await()
                .atMost(Duration.ofSeconds(9)) // idle threads end by themselves after ten
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
