package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.Deadlock;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockResult;
import io.holdfast.lock.api.LockWaits;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.quorum.QuorumNode;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that wait for each other, on real time: who is told what. */
class DeadlockTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    enum Kind {
        MEMORY,
        STANDALONE,
        CLUSTER,
        QUORUM
    }

    private final List<AutoCloseable> open = new ArrayList<>();
    private final String prefix = "cycle:" + UUID.randomUUID() + ":";
    /** All hold their first locks before anybody asks for another one. */
    private final CompletableFuture<Void> go = new CompletableFuture<>();

    private StoreSpy store = new StoreSpy(new InMemoryLockStore());

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private void use(Kind kind) {
        store = switch (kind) {
            case MEMORY -> new StoreSpy(new InMemoryLockStore());
            case STANDALONE -> new StoreSpy(redis(RedisTopology.STANDALONE));
            case CLUSTER -> new StoreSpy(redis(RedisTopology.CLUSTER));
            case QUORUM -> new StoreSpy(quorum());
        };
    }

    private LockStore redis(RedisTopology topology) {
        return opened(new RedisLockStore(topology.connect(TestRedis.Client.JEDIS), TestRedis.PATIENT));
    }

    private LockStore quorum() {
        List<QuorumNode> nodes = IntStream.range(0, 3)
                .mapToObj(i -> opened(RedisServerProcess.start()))
                .map(server -> new QuorumNode(
                        "server " + server.port(),
                        new RedisLockStore(TestRedis.jedis(server.port()), TestRedis.PATIENT)))
                .toList();
        return opened(new QuorumLockStore(nodes, Duration.ofHours(1)));
    }

    private <T extends AutoCloseable> T opened(T made) {
        open.add(made);
        return made;
    }

    private LockEngine client() {
        return opened(LockEngine.builder(store).build());
    }

    private LockRequest key(String name) {
        return LockRequest.of(prefix + name).waitFor(PATIENCE);
    }

    private LockRequest briefly(String name) {
        return key(name).waitFor(Duration.ofMillis(1));
    }

    /** What a thread that holds one lock is told when it does not get another one; or nothing. */
    private CompletableFuture<Optional<LockNotAcquiredException>> nested(
            LockEngine client, LockRequest held, LockRequest wanted) {
        CompletableFuture<Void> holds = new CompletableFuture<>();
        CompletableFuture<Optional<LockNotAcquiredException>> reported = NewThread.start(() -> {
            try (LockHandle outer = client.acquire(held)) {
                holds.complete(null);
                go.join();
                try (LockHandle inner = client.acquire(wanted)) {
                    return Optional.empty();
                } catch (LockNotAcquiredException e) {
                    return Optional.of(e);
                }
            }
        });
        holds.join();
        return reported;
    }

    private LockWaits awaitWaits(LockEngine client, int count) {
        go.complete(null);
        return Awaitility.await()
                .atMost(PATIENCE)
                .until(client::waits, waits -> waits.nestedWaits().size() == count);
    }

    private Deadlock awaitDeadlock(LockEngine client) {
        go.complete(null);
        return Awaitility.await()
                .atMost(PATIENCE)
                .until(client::waits, waits -> !waits.deadlocks().isEmpty())
                .deadlocks()
                .get(0);
    }

    private static List<String> keys(Deadlock cycle) {
        return cycle.waits().stream()
                .map(wait -> wait.key().value())
                .map(key -> key.substring(key.lastIndexOf(':') + 1))
                .collect(Collectors.toList());
    }

    @ParameterizedTest
    @EnumSource
    void two_clients_that_wait_for_each_other_are_a_deadlock(Kind kind) {
        use(kind);
        LockEngine one = client();
        LockEngine another = client();
        LockRequest first = key("a");
        LockRequest patient = key("b").waitFor(Duration.ofSeconds(6));
        var reported = nested(one, first, patient);
        var other = nested(another, key("b"), key("a"));

        Deadlock cycle = awaitDeadlock(one);

        assertThat(keys(cycle)).containsExactlyInAnyOrder("a", "b");
        for (int i = 0; i < 2; i++) {
            NestedWait next = cycle.waits().get(1 - i);
            assertThat(next.holds())
                    .extracting(NestedWait.HeldLock::key)
                    .contains(cycle.waits().get(i).key());
        }
        LockNotAcquiredException refused = reported.join().orElseThrow();
        assertThat(refused.deadlock().map(DeadlockTest::keys).orElseThrow()).containsExactlyInAnyOrder("a", "b");
        assertThat(refused.holderWaitsFor().orElseThrow().key().value()).isEqualTo(prefix + "a");
        assertThat(refused)
                .hasMessageContaining("deadlock")
                .hasMessageContaining("holds '" + prefix + "b' and waits for '" + prefix + "a'");
        assertThat(other.join()).isEmpty();
        awaitWaits(one, 0);
        assertThat(one.waits().deadlocks()).isEmpty();
    }

    @Test
    void three_clients_form_a_cycle_in_its_order() {
        use(Kind.STANDALONE);
        List<LockEngine> clients = List.of(client(), client(), client());
        var first = nested(clients.get(0), key("a"), key("b").waitFor(Duration.ofSeconds(6)));
        var second = nested(clients.get(1), key("b"), key("c"));
        var third = nested(clients.get(2), key("c"), key("a"));

        Deadlock cycle = awaitDeadlock(clients.get(0));

        List<String> keys = keys(cycle);
        assertThat(keys).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(String.join("", keys) + String.join("", keys)).contains("abc");
        assertThat(first.join().orElseThrow().deadlock()).isPresent();
        assertThat(second.join()).isEmpty();
        assertThat(third.join()).isEmpty();
    }

    @Test
    void two_threads_of_one_client_are_a_deadlock_too() {
        LockEngine one = client();
        var reported = nested(one, key("a"), key("b").waitFor(Duration.ofSeconds(4)));
        var other = nested(one, key("b"), key("a"));
        go.complete(null);

        assertThat(reported.join().orElseThrow().deadlock()).isPresent();
        assertThat(other.join()).isEmpty();
    }

    @Test
    void shared_holder_blocks_a_writer_and_is_part_of_the_cycle() {
        LockEngine one = client();
        LockEngine another = client();
        LockHandle bystander = client().acquire(key("a").shared());
        var reported = nested(one, key("a").shared(), key("b").waitFor(Duration.ofSeconds(4)));
        var other = nested(another, key("b"), key("a"));
        go.complete(null);

        assertThat(keys(reported.join().orElseThrow().deadlock().orElseThrow())).containsExactlyInAnyOrder("a", "b");
        bystander.close();
        assertThat(other.join()).isEmpty();
    }

    @Test
    void permit_that_any_holder_may_give_back_is_no_deadlock() {
        LockEngine one = client();
        LockHandle free = client().acquire(key("a").shared(2));
        var holder = nested(one, key("a").shared(2), key("b"));
        LockEngine another = client();
        var waiter = nested(another, key("b"), key("a").shared(2));

        awaitWaits(one, 2);
        Awaitility.await()
                .during(Duration.ofSeconds(2))
                .atMost(PATIENCE)
                .until(() -> one.waits().deadlocks().isEmpty());

        free.close();
        assertThat(waiter.join()).isEmpty();
        assertThat(holder.join()).isEmpty();
    }

    @Test
    void chain_without_a_cycle_names_what_the_holder_waits_for() {
        LockEngine one = client();
        LockHandle end = client().acquire(key("c"));
        var middle = nested(one, key("b"), key("c"));
        awaitWaits(one, 1);

        LockNotAcquiredException refused = NewThread.call(() -> {
            try (LockHandle handle = client().acquire(briefly("b"))) {
                throw new AssertionError("Somebody else holds it");
            } catch (LockNotAcquiredException e) {
                return e;
            }
        });

        assertThat(refused.deadlock()).isEmpty();
        assertThat(refused.holderWaitsFor().orElseThrow().key().value()).isEqualTo(prefix + "c");
        assertThat(refused).hasMessageContaining("waits for '" + prefix + "c'").hasMessageNotContaining("deadlock");
        LockResult<String> result = client().tryExecute(briefly("b"), () -> "never");
        assertThat(((LockResult.NotAcquired<String>) result).blockage().holderWaitsFor())
                .isPresent();
        end.close();
        assertThat(middle.join()).isEmpty();
    }

    @Test
    void keys_that_are_masked_stay_masked_in_messages_of_others() {
        LockEngine one = client();
        LockHandle end = client().acquire(key("c"));
        var middle = nested(one, key("b"), key("c").maskKeys());
        awaitWaits(one, 1);

        NestedWait wait = one.waits().nestedWaits().get(0);

        assertThat(wait.key().toString()).startsWith("sha256:");
        assertThat(wait.describe()).contains(prefix + "b").doesNotContain(prefix + "c");
        end.close();
        assertThat(middle.join()).isEmpty();
    }

    @Test
    void wait_that_succeeds_is_forgotten() {
        LockEngine one = client();
        LockHandle end = client().acquire(key("c"));
        var middle = nested(one, key("b"), key("c"));
        awaitWaits(one, 1);

        end.close();

        assertThat(middle.join()).isEmpty();
        awaitWaits(one, 0);
    }

    /** Those of clients of other tests may still be ending. */
    private static Set<Thread> threadsOfWaits() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("holdfast-waits"))
                .collect(Collectors.toSet());
    }

    @Test
    void nothing_is_recorded_of_waits_that_hold_nothing() {
        Set<Thread> ofOthers = threadsOfWaits();
        LockEngine one = client();
        LockEngine another = client();
        LockHandle held = one.acquire(key("a"));
        CompletableFuture<LockHandle> waiting =
                NewThread.start(() -> another.acquire(key("a")).detach());
        Awaitility.await().until(() -> store.inspect(key("a").key()).waiters() == 1);
        Awaitility.await().during(Duration.ofMillis(200)).until(() -> store.waitRecords.isEmpty());
        held.close();
        waiting.join().close();

        assertThat(store.waitRecords).isEmpty();
        assertThat(threadsOfWaits()).isSubsetOf(ofOthers);
    }

    @Test
    void exception_is_as_before_if_the_store_does_not_tell() {
        LockEngine one = client();
        LockHandle held = client().acquire(key("a"));
        store = new StoreSpy(store) {
            @Override
            public List<io.holdfast.lock.store.scan.RecordedWait> recordedWaits() {
                throw unreachable();
            }
        };
        LockEngine another = client();

        assertThat(NewThread.call(() -> {
                    try {
                        another.acquire(briefly("a"));
                        return Optional.empty();
                    } catch (LockNotAcquiredException e) {
                        return e.deadlock();
                    }
                }))
                .isEqualTo(Optional.empty());
        held.close();
        assertThat(one.held()).isEmpty();
    }
}
