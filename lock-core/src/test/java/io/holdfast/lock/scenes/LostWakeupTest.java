package io.holdfast.lock.scenes;

import static io.holdfast.lock.store.AcquireRequest.EXCLUSIVE;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.HintFaults;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** Whatever is not heard, and whoever goes away: while a lock is free and somebody waits for it, somebody gets it. */
@Tag("full")
class LostWakeupTest {

    private static final String KEY = "order:42";
    private static final LockRequest PATIENT = LockRequest.of(KEY).waitFor(Duration.ofMinutes(1));
    private static final int CLIENTS = 3;
    private static final int THREADS = 2;

    private RedisServerProcess server;

    @BeforeEach
    void start() {
        server = RedisServerProcess.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private interface Disturbance {
        Contest.Attempt in(Contest contest, Clients clients);
    }

    private void contend(TestRedis.Client driver, int visits, UnaryOperator<StoreSpy> around, Disturbance disturbance) {
        Contest contest = new Contest(visits);
        try (Clients clients = Clients.open(CLIENTS, driver, server.port(), around)) {
            contest.run(clients, THREADS, disturbance.in(contest, clients));
            clients.awaitNothingLeft(KEY);
        }
        contest.assertSound();
    }

    private void contendWithFaults(TestRedis.Client driver, int visits, Consumer<Runnable> fault) {
        contend(driver, visits, store -> new HintFaults(store, fault), (contest, clients) -> patiently(contest));
    }

    private static Contest.Attempt patiently(Contest contest) {
        return locks -> {
            LockRequest request = PATIENT.fair(ThreadLocalRandom.current().nextInt(4) == 0);
            try (LockHandle handle = locks.acquire(request)) {
                contest.visit();
            }
        };
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    void every_third_hint_is_lost(TestRedis.Client driver) {
        AtomicInteger hints = new AtomicInteger();
        contendWithFaults(driver, 25, hint -> {
            if (hints.incrementAndGet() % 3 != 0) {
                hint.run();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    void all_hints_are_lost(TestRedis.Client driver) {
        contendWithFaults(driver, 12, hint -> {});
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void hints_are_lost_by_chance(TestRedis.Client driver) {
        contendWithFaults(driver, 50, hint -> {
            if (ThreadLocalRandom.current().nextBoolean()) {
                hint.run();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    void hints_come_twice_and_late(TestRedis.Client driver) {
        contendWithFaults(driver, 60, hint -> {
            hint.run();
            CompletableFuture.delayedExecutor(ThreadLocalRandom.current().nextInt(300), TimeUnit.MILLISECONDS)
                    .execute(hint);
        });
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    void subscriptions_are_cut_again_and_again(TestRedis.Client driver) {
        try (Jedis redis = TestRedis.administrator(server.port())) {
            contend(driver, 60, store -> store, (contest, clients) -> locks -> {
                try (LockHandle handle = locks.acquire(PATIENT)) {
                    contest.visit(() -> {
                        if (ThreadLocalRandom.current().nextInt(10) == 0) {
                            redis.clientKill(new ClientKillParams().type(ClientType.PUBSUB));
                        }
                    });
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    void waiters_give_up_at_any_moment(TestRedis.Client driver) {
        contend(driver, 60, store -> store, (contest, clients) -> locks -> {
            LockRequest request = PATIENT.waitFor(
                            Duration.ofMillis(ThreadLocalRandom.current().nextInt(20)))
                    .fair(ThreadLocalRandom.current().nextBoolean());
            locks.tryAcquire(request).ifPresent(handle -> {
                try (handle) {
                    contest.visit();
                }
            });
        });
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    void waiters_are_interrupted_at_any_moment(TestRedis.Client driver) {
        contend(driver, 60, store -> store, (contest, clients) -> locks -> {
            Thread waiter = Thread.currentThread();
            CompletableFuture<Void> interruption = CompletableFuture.runAsync(
                    waiter::interrupt,
                    CompletableFuture.delayedExecutor(
                            ThreadLocalRandom.current().nextInt(20_000), TimeUnit.MICROSECONDS));
            visitUnlessInterrupted(contest, locks);
            interruption.join();
            Thread.interrupted();
        });
    }

    private static void visitUnlessInterrupted(Contest contest, LockEngine locks) {
        try (LockHandle handle = locks.acquire(PATIENT)) {
            contest.visit();
        } catch (LockInterruptedException e) {
            Thread.interrupted();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void holders_die_and_leave_the_lock_to_its_lease(TestRedis.Client driver) {
        Duration lease = Duration.ofMillis(300);
        contend(driver, 200, store -> store, (contest, clients) -> locks -> {
            if (ThreadLocalRandom.current().nextInt(10) == 0) {
                locks.acquire(PATIENT.lease(lease).renew(false)).detach();
                contest.freeIn(lease);
            } else {
                patiently(contest).run(locks);
            }
        });
    }

    /** A dead waiter has taken an entry once, and is not heard of any more. Several come in a row, each of another client. */
    @ParameterizedTest
    @EnumSource(names = "JEDIS")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void waiters_die_in_front_of_others(TestRedis.Client driver) {
        AtomicLong dead = new AtomicLong();
        contend(driver, 30, store -> store, (contest, clients) -> locks -> {
            try (LockHandle handle = locks.acquire(PATIENT)) {
                contest.visit(() -> {
                    for (int i = 0; i < 8 && contest.visits() % 10 == 5; i++) {
                        takeEntry(clients.store(0), dead.incrementAndGet());
                    }
                });
            }
        });
    }

    private static void takeEntry(LockStore store, long number) {
        HolderInfo nobody = new HolderInfo("host", 1, "dead");
        OwnerId owner = new OwnerId("dead" + number, 1);
        store.acquire(new AcquireRequest(
                LockKey.of(KEY), owner, 30_000, nobody, EXCLUSIVE, 1, number % 2 == 0, true, 1, 0, false));
    }
}
