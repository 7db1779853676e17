package io.holdfast.lock.benchmarks.peer;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.quorum.QuorumNode;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockSettings.Connection;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.LockStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.Jedis;

/** Holdfast as the starter sets it up: renewed leases, fencing tokens, a watchdog. */
final class HoldfastClient implements PeerClient {

    private static final int WARM_UPS = 10;

    private final LockStore store;
    private final List<? extends RedisConnectionFactory> factories;
    private final LockEngine locks;
    private final BiFunction<LockTemplate, LockRequest, RemoteLock> kind;
    private final Duration lease;

    private HoldfastClient(
            LockStore store,
            List<? extends RedisConnectionFactory> factories,
            long leaseMillis,
            BiFunction<LockTemplate, LockRequest, RemoteLock> kind) {
        this.store = store;
        this.factories = factories;
        this.locks = LockEngine.builder(store).build();
        this.kind = kind;
        this.lease = Duration.ofMillis(leaseMillis);
    }

    static HoldfastClient onOneServer(
            int port, long leaseMillis, BiFunction<LockTemplate, LockRequest, RemoteLock> kind) {
        JedisConnectionFactory factory = Factories.jedis(port);
        return new HoldfastClient(store(factory), List.of(factory), leaseMillis, kind);
    }

    /** In an application that uses Lettuce. */
    static HoldfastClient besideLettuce(int port, long leaseMillis) {
        LettuceConnectionFactory factory = Factories.lettuce(port);
        LockStore store = store(factory);
        warmUp(store);
        return new HoldfastClient(store, List.of(factory), leaseMillis, LockTemplate::getLock);
    }

    /** On connections that it shares with the application. */
    static HoldfastClient onApplications(RedisConnectionFactory factory, long leaseMillis) {
        LockStore store =
                new RedisLockStore(factory, RedisLockSettings.STANDARD.withConnection(Connection.APPLICATION));
        warmUp(store);
        return new HoldfastClient(store, List.of(factory), leaseMillis, LockTemplate::getLock);
    }

    /** Loading the driver takes a while, on one core longer than the command timeout; the starter does the same warm-up at startup. */
    private static void warmUp(LockStore store) {
        LockStoreException last = null;
        for (int attempt = 0; attempt < WARM_UPS; attempt++) {
            try {
                store.inspect(LockKey.of("warm-up"));
                return;
            } catch (LockStoreException e) {
                last = e;
            }
        }
        throw last;
    }

    static HoldfastClient onCluster(
            Servers servers, long leaseMillis, BiFunction<LockTemplate, LockRequest, RemoteLock> kind) {
        JedisConnectionFactory factory = Factories.jedisCluster(servers);
        return new HoldfastClient(store(factory), List.of(factory), leaseMillis, kind);
    }

    /** Several locks are acquired and released one after another. */
    static HoldfastClient onClusterOneByOne(
            Servers servers, long leaseMillis, BiFunction<LockTemplate, LockRequest, RemoteLock> kind) {
        JedisConnectionFactory factory = Factories.jedisCluster(servers);
        return new HoldfastClient(oneByOne(store(factory)), List.of(factory), leaseMillis, kind);
    }

    private static LockStore oneByOne(LockStore store) {
        return (LockStore) Proxy.newProxyInstance(
                HoldfastClient.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "acquireAll" -> new AcquireAllReply.OneByOne(false);
                    case "releaseAll" -> InvocationHandler.invokeDefault(proxy, method, arguments);
                    default -> forward(store, method, arguments);
                });
    }

    private static @Nullable Object forward(LockStore to, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(to, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    static HoldfastClient onQuorum(Servers servers, long leaseMillis) {
        Duration lease = Duration.ofMillis(leaseMillis);
        RedisLockSettings settings = RedisLockSettings.STANDARD.withRejoinDelay(lease);
        List<JedisConnectionFactory> factories =
                servers.ports().stream().map(Factories::jedis).toList();
        List<QuorumNode> nodes = factories.stream()
                .map(factory ->
                        new QuorumNode(String.valueOf(factory.getPort()), new RedisLockStore(factory, settings)))
                .toList();
        return new HoldfastClient(new QuorumLockStore(nodes, lease), factories, leaseMillis, LockTemplate::getLock);
    }

    private static LockStore store(RedisConnectionFactory factory) {
        return new RedisLockStore(factory, RedisLockSettings.STANDARD);
    }

    @Override
    public Latch latch(String key) {
        return new View(key, kind.apply(locks, LockRequest.of(key).lease(lease)));
    }

    @Override
    public void close() {
        locks.close();
        store.close();
        factories.forEach(Factories::destroy);
    }

    private record View(String key, RemoteLock delegate) implements Latch {

        @Override
        public void lock() {
            delegate.lock();
        }

        @Override
        public void unlock() {
            delegate.unlock();
        }

        /** The fencing token shows that it is the same grant. */
        @Override
        public boolean isInRedis(Jedis redis) {
            if (!delegate.isHeldByCurrentThread()) {
                return false;
            }
            List<String> lock = redis.hmget("holdfast:{" + key + '}', "owner", "token", "lease_end");
            return lock.get(0) != null
                    && String.valueOf(delegate.fencingToken()).equals(lock.get(1))
                    && Long.parseLong(lock.get(2)) > micros(redis.time());
        }

        private static long micros(List<String> time) {
            return TimeUnit.SECONDS.toMicros(Long.parseLong(time.get(0))) + Long.parseLong(time.get(1));
        }
    }
}
