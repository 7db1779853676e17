package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A waiter is told when the lock is its own, and need not ask again; where nobody waits, nobody is told anything. */
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class WakeupTest {

    private static final String KEY = "order:42";
    private static final LockRequest PATIENT = LockRequest.of(KEY).waitFor(Duration.ofMinutes(10));

    @Parameter
    private TestRedis.Client driver;

    private RedisServerProcess server;
    private CommandCount commands;

    @BeforeEach
    void start() {
        server = RedisServerProcess.start();
        commands = new CommandCount(server.port());
    }

    @AfterEach
    void stop() {
        commands.close();
        server.close();
    }

    /** Clients that learn by message alone whose turn it is. */
    private Clients open(int count) {
        Clients clients = Clients.open(count, driver, server.port(), KnowsNoCalls::new);
        IntStream.range(0, count)
                .forEach(i -> clients.get(i).acquire("warm-up:" + i).close());
        clients.get(0).inspect(KEY);
        return clients;
    }

    /** Waits on another thread, and gives the lock back at once. */
    private static CompletableFuture<Long> waitFor(Clients clients, int client) {
        return clients.async(client, locks -> {
            try (LockHandle handle = locks.acquire(PATIENT)) {
                return handle.fencingToken();
            }
        });
    }

    /** That is a call, too. */
    private static LockHolder holder(Clients clients) {
        return clients.get(0).inspect(KEY).holder().orElseThrow();
    }

    private void awaitSubscribed(LockHolder holder, int waiters) {
        Clients.await(() -> commands.waitersThatHear(holder) == waiters);
    }

    private static void awaitPolls(StoreSpy store, int count) {
        Clients.await(() -> store.polls.size() >= count);
    }

    @Test
    void contended_acquisition_is_an_entry_and_a_hand_over() throws Exception {
        RunningTime.withoutPause(this::handOver);
    }

    private void handOver() {
        try (Clients clients = open(2)) {
            checkPublishing(clients);
            int before = clients.store(1).acquires.size();
            LockHandle former = clients.get(0).acquire(KEY);
            LockHolder holder = holder(clients);
            commands.reset();
            int upkeep = clients.upkeep();

            CompletableFuture<LockHandle> next = clients.async(1, locks -> locks.acquire(PATIENT));
            awaitSubscribed(holder, 1);
            awaitPolls(clients.store(1), clients.store(1).polls.size() + 3);
            withoutPolls(List.of(clients.store(1)), () -> {
                former.close();
                LockHandle handle = next.join();

                assertThat(clients.store(1).acquires).hasSize(before + 1);
                assertThat(commands.of("publish")).isEqualTo(1);
                Clients.await(() -> commands.of("evalsha") - (clients.upkeep() - upkeep) == 2);
                handle.close();
            });
        }
    }

    /** With the first poll of a store, which publishes once. */
    private static void checkPublishing(Clients clients) {
        LockHandle holder = clients.get(0).acquire(KEY);
        CompletableFuture<Long> waiting = waitFor(clients, 1);
        awaitPolls(clients.store(1), 2);
        holder.close();
        waiting.join();
    }

    @Test
    void release_tells_the_first_waiter_alone() throws Exception {
        RunningTime.withoutPause(this::handOverToEachOfThree);
    }

    private void handOverToEachOfThree() {
        try (Clients clients = open(4)) {
            LockHandle holder = clients.get(0).acquire(KEY);
            List<CompletableFuture<Long>> waiting = IntStream.range(1, 4)
                    .mapToObj(client -> {
                        CompletableFuture<Long> one = waitFor(clients, client);
                        clients.awaitWaiters(KEY, client);
                        return one;
                    })
                    .toList();
            awaitSubscribed(holder(clients), 3);
            List<StoreSpy> stores =
                    IntStream.range(1, 4).mapToObj(clients::store).toList();
            stores.forEach(store -> awaitPolls(store, store.polls.size() + 2));
            withoutPolls(stores, () -> {
                commands.reset();

                holder.close();

                List<Long> tokens =
                        waiting.stream().map(CompletableFuture::join).toList();
                assertThat(tokens).isSorted().doesNotHaveDuplicates();
                assertThat(commands.of("publish")).isEqualTo(3);
                assertThat(stores)
                        .allSatisfy(store -> assertThat(store.acquires).hasSize(1 + 1));
            });
        }
    }

    @Test
    void being_told_is_enough() {
        try (Clients clients = open(2)) {
            LockHandle former = clients.get(0).acquire(KEY);
            CompletableFuture<Long> next = waitFor(clients, 1);
            awaitPolls(clients.store(1), 2);
            awaitSubscribed(holder(clients), 1);
            former.close();

            assertThat(next).succeedsWithin(1, TimeUnit.MINUTES);
        }
    }

    /** A poll that overlaps with a hand-over makes its message old news, so that the waiter asks. */
    private static void withoutPolls(List<StoreSpy> stores, Runnable handOver) {
        List<ReentrantLock> polling =
                stores.stream().map(store -> ((KnowsNoCalls) store).polling).toList();
        polling.forEach(ReentrantLock::lock);
        try {
            handOver.run();
        } finally {
            polling.forEach(ReentrantLock::unlock);
        }
    }

    /** Keeps its entries alive, but never learns from that whose turn it is. */
    private static final class KnowsNoCalls extends StoreSpy {

        private final ReentrantLock polling = new ReentrantLock();

        KnowsNoCalls(LockStore delegate) {
            super(delegate);
        }

        @Override
        public List<EntryReply> keepEntries(List<EntryRequest> requests) {
            polling.lock();
            try {
                return super.keepEntries(requests).stream()
                        .map(reply -> reply instanceof EntryReply.Kept kept
                                ? new EntryReply.Kept(List.of(), kept.storeMicros(), kept.blockedFor())
                                : reply)
                        .toList();
            } finally {
                polling.unlock();
            }
        }
    }

    @Test
    void without_contention_nobody_is_told_and_nobody_hears() throws Exception {
        RunningTime.withoutPause(this::withoutContention);
    }

    private void withoutContention() {
        try (Clients clients = open(3)) {
            Clients.await(() -> commands.subscriptions() == 0);
            commands.reset();
            for (int i = 0; i < 90; i++) {
                clients.get(i % 3).execute(KEY, () -> {});
                clients.get(i % 3).execute(PATIENT.fair(true), () -> {});
                clients.get(i % 3).execute(PATIENT.shared(2), () -> {});
                clients.get(i % 3).tryAcquire("other:" + i).orElseThrow().close();
            }

            assertThat(commands.of("publish")).isZero();
            assertThat(commands.of("subscribe")).isZero();
            assertThat(commands.subscriptions()).isZero();
            assertThat(clients.upkeep()).isZero();
        }
    }
}
