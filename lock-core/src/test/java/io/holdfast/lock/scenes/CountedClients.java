package io.holdfast.lock.scenes;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.CountingProxy;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.threads.Pause;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/**
 * Two clients of one Redis, whose commands are counted. Their time passes only when it is told to, so nothing is asked, kept or
 * renewed because the machine is slow. Both have subscribed to their messages already.
 */
final class CountedClients implements AutoCloseable {

    private static final HolderInfo HOLDER = new HolderInfo("app-1.example.org", 12345, "worker-1");
    private static final String KEY = "warm-up";

    /** Too little for a client to ask for its entries, and enough for a message of a slow machine to fit that time. */
    private static final Duration BEFORE_HAND_OVER = Duration.ofMillis(400);

    private final RedisServerProcess server = RedisServerProcess.start();
    private final CountingProxy proxy = new CountingProxy(server.port());
    private final Jedis redis = TestRedis.administrator(server.port());
    private final AtomicInteger keys = new AtomicInteger();
    private final AtomicInteger parked = new AtomicInteger();
    private final RedisConnectionFactory connections;
    private OperationCost counted = OperationCost.NONE;

    final FakeTicker time = new FakeTicker();
    final Client a;
    final Client b;

    CountedClients(TestRedis.Client driver) {
        connections = driver.connect(proxy.port());
        a = new Client();
        b = new Client();
        handOver(KEY, a, b);
        handOver(KEY, b, a);
        await(() -> a.isSubscribed() && b.isSubscribed());
    }

    /** A client, and what it has been answered. */
    final class Client {

        private final Counted store = new Counted(new RedisLockStore(connections, TestRedis.PATIENT));
        final LockEngine locks = LockEngine.builder(store)
                .ticker(time)
                .pause(nanos -> {
                    parked.incrementAndGet();
                    Pause.PARK.pause(nanos);
                })
                .build();

        private boolean isSubscribed() {
            return locks.subscriptionState() == LocalLocks.SubscriptionState.CONNECTED;
        }

        int renewed() {
            return store.renewed.get();
        }

        int left() {
            return store.left.get();
        }
    }

    /** Holders are the same on every machine. */
    private static final class Counted extends StoreSpy {

        private final AtomicInteger renewed = new AtomicInteger();
        private final AtomicInteger left = new AtomicInteger();

        Counted(LockStore delegate) {
            super(delegate);
        }

        private static AcquireRequest named(AcquireRequest request) {
            return new AcquireRequest(
                    request.key(),
                    request.owner(),
                    request.leaseMillis(),
                    HOLDER,
                    request.limit(),
                    request.weight(),
                    request.fair(),
                    request.waiting(),
                    request.tokens(),
                    request.leastToken(),
                    request.raising());
        }

        @Override
        public AcquireReply acquire(AcquireRequest request) {
            return super.acquire(named(request));
        }

        @Override
        public AcquireAllReply acquireAll(List<AcquireRequest> requests) {
            return super.acquireAll(requests.stream().map(Counted::named).toList());
        }

        @Override
        public List<RenewReply> renew(List<RenewRequest> requests) {
            List<RenewReply> replies = super.renew(requests);
            renewed.addAndGet(replies.size());
            return replies;
        }

        @Override
        public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
            super.leave(key, owner, cancelledFor, lastFencingToken);
            left.incrementAndGet();
        }
    }

    /** Of the same length as all others. */
    String nextKey() {
        return "order:" + (100_000 + keys.incrementAndGet());
    }

    /** Adds what the work costs; what it does in the background has to be over when it returns. */
    void count(Runnable work) {
        redis.configResetStat();
        OperationCost before = sent();
        work.run();
        OperationCost after = sent();
        double commands = after.commands() - before.commands();
        counted = counted.plus(new OperationCost(
                commands,
                executed() - commands,
                after.roundTrips() - before.roundTrips(),
                after.bytesTo() - before.bytesTo(),
                after.bytesFrom() - before.bytesFrom()));
    }

    private OperationCost sent() {
        return new OperationCost(proxy.total(), 0, proxy.roundTrips(), proxy.bytesToRedis(), proxy.bytesFromRedis());
    }

    /** By clients and by scripts, but for what this class asks. */
    private long executed() {
        return redis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .filter(line -> !line.startsWith("cmdstat_config") && !line.startsWith("cmdstat_info"))
                .mapToLong(line -> Long.parseLong(line.split("calls=|,", 3)[1]))
                .sum();
    }

    /** What was counted since the last call. */
    OperationCost take() {
        OperationCost taken = counted;
        counted = OperationCost.NONE;
        return taken;
    }

    /** One client has the lock, the other one waits for it, gets it by a message, and gives it back. */
    void handOver(String key, Client from, Client to) {
        LockRequest request = LockRequest.of(key).waitFor(Duration.ofMinutes(5));
        LockHandle held = from.locks.acquire(request);
        int before = parked.get();
        CompletableFuture<Void> next =
                CompletableFuture.runAsync(() -> to.locks.execute(request, () -> {}), run -> new Thread(run).start());
        await(() -> parked.get() > before || next.isDone());
        time.pass(BEFORE_HAND_OVER);
        held.close();
        next.orTimeout(2, TimeUnit.MINUTES).join();
    }

    /** The clock of a client sleeps by real time, and looks at the virtual one when it is woken. */
    void pass(Duration duration, Callable<Boolean> until) {
        time.pass(duration);
        await(() -> {
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("holdfast-clock"))
                    .forEach(LockSupport::unpark);
            return until.call();
        });
    }

    static void await(Callable<Boolean> condition) {
        Clients.await(condition);
    }

    @Override
    public void close() {
        a.locks.close();
        b.locks.close();
        a.store.close();
        b.store.close();
        TestRedis.destroy(connections);
        redis.close();
        proxy.close();
        server.close();
    }
}
