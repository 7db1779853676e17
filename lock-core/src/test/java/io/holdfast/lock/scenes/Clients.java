package io.holdfast.lock.scenes;

import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Several clients of one Redis, each with connections of its own, as processes on several machines would be. */
final class Clients implements AutoCloseable {

    private final List<RedisConnectionFactory> connections;
    private final List<StoreSpy> stores;
    private final List<LockEngine> engines = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private Clients(
            List<RedisConnectionFactory> connections, RedisLockSettings settings, UnaryOperator<StoreSpy> around) {
        this.connections = connections;
        this.stores = connections.stream()
                .map(factory -> around.apply(new StoreSpy(new RedisLockStore(factory, settings))))
                .toList();
        stores.forEach(store -> engines.add(LockEngine.builder(store).build()));
    }

    static Clients open(int count, TestRedis.Client driver, int port) {
        return open(count, driver, port, store -> store);
    }

    static Clients open(int count, TestRedis.Client driver, int port, UnaryOperator<StoreSpy> around) {
        return new Clients(connect(count, driver, RedisAddress.standalone(port)), TestRedis.PATIENT, around);
    }

    static Clients open(int count, TestRedis.Client driver, RedisAddress address, RedisLockSettings settings) {
        return open(count, driver, address, settings, store -> store);
    }

    static Clients open(
            int count,
            TestRedis.Client driver,
            RedisAddress address,
            RedisLockSettings settings,
            UnaryOperator<StoreSpy> around) {
        return new Clients(connect(count, driver, address), settings, around);
    }

    private static List<RedisConnectionFactory> connect(int count, TestRedis.Client driver, RedisAddress address) {
        return IntStream.range(0, count).mapToObj(i -> driver.connect(address)).toList();
    }

    int size() {
        return engines.size();
    }

    LockEngine get(int index) {
        return engines.get(index);
    }

    StoreSpy store(int index) {
        return stores.get(index);
    }

    /** Does the work on a thread of its own, and fails if it does not end. */
    <T> CompletableFuture<T> async(int index, Function<LockEngine, T> work) {
        return CompletableFuture.supplyAsync(() -> work.apply(get(index)), threads)
                .orTimeout(10, TimeUnit.MINUTES);
    }

    /** The clock that leases and entries are counted on. */
    Duration redisTime() {
        try (RedisConnection redis = connections.get(0).getConnection()) {
            return Duration.ofNanos(1000 * redis.serverCommands().time(TimeUnit.MICROSECONDS));
        }
    }

    /** Calls that keep entries and leases, of all clients: they go by time. */
    int upkeep() {
        return stores.stream()
                .mapToInt(store -> store.polls.size() + store.renewals.size())
                .sum();
    }

    void awaitWaiters(String key, int count) {
        await(() -> engines.get(0).inspect(key).waiters() == count);
    }

    /** Nobody holds the lock, and nobody waits for it. */
    void awaitNothingLeft(String key) {
        awaitWaiters(key, 0);
        await(() -> engines.get(0).inspect(key).holders().isEmpty());
    }

    static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(condition);
    }

    @Override
    public void close() {
        engines.forEach(LockEngine::close);
        threads.shutdownNow();
        stores.forEach(StoreSpy::close);
        connections.forEach(TestRedis::destroy);
    }
}
