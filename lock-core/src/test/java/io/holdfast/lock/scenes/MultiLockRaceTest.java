package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that want several locks at a time, which overlap, and name them in any order. */
class MultiLockRaceTest {

    private static final int ACCOUNTS = 4;
    private static final int BALANCE = 1000;

    private final String bank = "bank:" + UUID.randomUUID() + ":";
    private final AtomicIntegerArray balances = new AtomicIntegerArray(ACCOUNTS);

    private LockRequest locksOf(List<Integer> accounts) {
        return LockRequest.ofAll(
                        accounts.stream().map(account -> bank + account).toList())
                .waitFor(Duration.ofSeconds(40));
    }

    private static List<Integer> someAccounts(int count) {
        List<Integer> all = new ArrayList<>(IntStream.range(0, ACCOUNTS).boxed().toList());
        Collections.shuffle(all, ThreadLocalRandom.current());
        return all.subList(0, count);
    }

    @ParameterizedTest
    @EnumSource
    void transfers_in_any_order_neither_block_each_other_nor_lose_money(TestRedis.Client driver) {
        try (Clients clients = Clients.open(3, driver, TestRedis.shared().port())) {
            transfer(clients);
        }
    }

    private void transfer(Clients clients) {
        int transfers = 200;
        AtomicInteger begun = new AtomicInteger();
        IntStream.range(0, ACCOUNTS).forEach(account -> balances.set(account, BALANCE));
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            running.add(clients.async(i % 3, locks -> {
                for (int number = begun.incrementAndGet(); number <= transfers; number = begun.incrementAndGet()) {
                    if (number % 20 == 0) {
                        audit(locks);
                    } else {
                        transfer(locks, someAccounts(2));
                    }
                }
                return null;
            }));
        }
        running.forEach(CompletableFuture::join);
        audit(clients.get(0));
        IntStream.range(0, ACCOUNTS).forEach(account -> clients.awaitNothingLeft(bank + account));
    }

    /** Requests that are refused by one node give back what others have granted. */
    @Test
    void transfers_between_nodes_of_a_cluster_neither_block_each_other_nor_lose_money() {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(3, 0, Duration.ofMinutes(5));
                Clients clients = Clients.open(3, TestRedis.Client.JEDIS, cluster.address(), TestRedis.PATIENT)) {
            transfer(clients);
            assertOneOfTheTriesGetsAll(clients);
        }
    }

    private void assertOneOfTheTriesGetsAll(Clients clients) {
        LockRequest request = locksOf(someAccounts(ACCOUNTS)).waitFor(Duration.ZERO);
        for (int round = 0; round < 200; round++) {
            CyclicBarrier together = new CyclicBarrier(clients.size());
            List<CompletableFuture<Optional<LockHandle>>> tries = new ArrayList<>();
            for (int i = 0; i < clients.size(); i++) {
                tries.add(clients.async(i, locks -> {
                    await(together);
                    return locks.tryAcquire(request);
                }));
            }
            List<LockHandle> granted = tries.stream()
                    .map(CompletableFuture::join)
                    .flatMap(Optional::stream)
                    .toList();
            assertThat(granted).hasSize(1);
            granted.get(0).close();
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void transfer(LockEngine locks, List<Integer> accounts) {
        try (LockHandle handle = locks.acquire(locksOf(accounts))) {
            int from = balances.get(accounts.get(0));
            int to = balances.get(accounts.get(1));
            Thread.yield();
            balances.set(accounts.get(0), from - 1);
            balances.set(accounts.get(1), to + 1);
        }
    }

    private void audit(LockEngine locks) {
        try (LockHandle handle = locks.acquire(locksOf(someAccounts(ACCOUNTS)))) {
            int sum = IntStream.range(0, ACCOUNTS).map(balances::get).sum();
            assertThat(sum).isEqualTo(ACCOUNTS * BALANCE);
        }
    }

    @Test
    void refused_request_leaves_none_of_its_locks_taken() {
        try (Clients clients =
                Clients.open(3, TestRedis.Client.JEDIS, TestRedis.shared().port())) {
            for (int taken = 0; taken < ACCOUNTS; taken++) {
                try (LockHandle one = clients.get(0).acquire(bank + taken)) {
                    assertThat(clients.get(1)
                                    .tryAcquire(locksOf(someAccounts(ACCOUNTS)).waitFor(Duration.ofMillis(50))))
                            .isEmpty();
                    for (int other = 0; other < ACCOUNTS; other++) {
                        assertThat(clients.get(2).inspect(bank + other).holders())
                                .hasSize(other == taken ? 1 : 0);
                        clients.awaitWaiters(bank + other, 0);
                    }
                }
            }
        }
    }
}
