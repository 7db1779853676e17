package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockResult;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several locks in one call: all of them, or none. */
@Timeout(60)
class AllAtOnceTest extends EngineFixture {

    private static final LockRequest ALL = LockRequest.ofAll(List.of("a", "b", "c"));

    @Test
    void free_locks_are_acquired_in_one_call_and_released_in_one() {
        LockHandle handle = locks.acquire(ALL);
        assertThat(handle.isHeld()).isTrue();
        assertThat(locks.held()).hasSize(3);
        assertThat(areFree("a") || areFree("b") || areFree("c")).isFalse();

        handle.close();

        assertThat(store.joint).containsExactly(3, -3);
        assertThat(store.acquires).hasSize(3);
        assertThat(store.releases).hasSize(3);
        assertThat(store.leaves).isEmpty();
        assertThat(locks.held()).isEmpty();
        assertThat(areFree("a", "b", "c")).isTrue();
    }

    @Test
    void each_lock_is_told_of_as_if_it_were_the_only_one() {
        locks.acquire(ALL).close();

        assertThat(events)
                .filteredOn(LockEvent.Acquired.class::isInstance)
                .extracting("key")
                .containsExactly(key("a"), key("b"), key("c"));
        assertThat(events)
                .filteredOn(LockEvent.Released.class::isInstance)
                .extracting("key")
                .containsExactly(key("c"), key("b"), key("a"));
    }

    @Test
    void one_try_is_refused_by_one_call_that_leaves_nothing_behind() {
        others.acquire("b");
        store.acquires.clear();

        LockResult<String> result = locks.tryExecute(ALL, () -> "done");

        assertThat(result).isInstanceOfSatisfying(LockResult.NotAcquired.class, refused -> {
            assertThat(refused.key()).isEqualTo(key("b"));
            assertThat(refused.holder()).isPresent();
        });
        assertThat(events).extracting("key").containsExactly(key("b"));
        assertThat(events.get(0)).isInstanceOf(LockEvent.NotAcquired.class);
        assertThat(store.acquires).hasSize(3);
        assertThat(areFree("a", "c")).isTrue();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void threads_of_the_client_may_have_what_was_refused_together() {
        others.acquire("b");
        assertThat(locks.tryAcquire(ALL)).isEmpty();

        assertThat(onAnotherThread(() -> locks.tryAcquire("a"))).isPresent();
        assertThat(onAnotherThread(() -> locks.tryAcquire("c"))).isPresent();
    }

    @Test
    void who_waits_for_one_of_them_holds_only_smaller_ones() {
        others.acquire(LockRequest.of("b").lease(Duration.ofSeconds(2)).renew(false));
        List<Boolean> free = new ArrayList<>();
        store.beforeAcquire = () -> free.add(areFree("c"));

        LockHandle handle = locks.acquire(ALL);

        assertThat(handle.isHeld()).isTrue();
        assertThat(free).hasSizeGreaterThan(2).containsOnly(true);
        assertThat(store.joint).containsExactly(3);
    }

    @Test
    void locks_of_an_unknown_outcome_are_all_undone_and_their_owners_never_sent_again() {
        store.afterNextCallHere(() -> {
            throw StoreSpy.unreachable();
        });

        assertThatThrownBy(() -> locks.acquire(ALL)).isInstanceOf(LockStoreException.class);

        List<OwnerId> owners =
                store.acquires.stream().map(AcquireRequest::owner).toList();
        Awaitility.await().until(() -> store.leaves.containsAll(owners) && areFree("a", "b", "c"));
        assertThat(events).hasSize(1).allMatch(LockEvent.Failed.class::isInstance);
        assertThat(locks.acquire(ALL).isHeld()).isTrue();
        assertThat(store.acquires.subList(3, 6))
                .extracting(AcquireRequest::owner)
                .doesNotContainAnyElementsOf(owners);
    }

    @Test
    void grant_that_comes_after_the_shortest_of_its_leases_is_no_grant() {
        LockRequest request = LockRequest.of("a").lease(Duration.ofMinutes(1)).and(LockRequest.of("b"));
        LockRequest brief = LockRequest.of("a").lease(Duration.ofSeconds(1));
        store.afterNextCallHere(() -> time.pass(Duration.ofSeconds(2)));

        try (LockHandle handle = locks.acquire(brief.and(LockRequest.of("b").lease(Duration.ofMinutes(1))))) {
            assertThat(handle.isHeld()).isTrue();
        }

        List<OwnerId> late =
                store.acquires.subList(0, 2).stream().map(AcquireRequest::owner).toList();
        assertThat(store.acquires.subList(2, 4))
                .extracting(AcquireRequest::owner)
                .doesNotContainAnyElementsOf(late);
        Awaitility.await().until(() -> store.leaves.containsAll(late));
        assertThat(events).as("what was never held was never lost").noneMatch(LockEvent.Lost.class::isInstance);
        assertThat(locks.acquire(request).isHeld()).isTrue();
    }

    @Test
    void leases_count_from_before_the_call() {
        store.afterNextCallHere(() -> time.pass(Duration.ofSeconds(10)));

        assertThat(locks.acquire(ALL).remaining()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void interrupt_ends_the_call_and_undoes_the_locks() {
        store.afterNextCallHere(() -> {
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });

        assertThatThrownBy(() -> locks.acquire(ALL)).isInstanceOf(LockInterruptedException.class);

        assertThat(Thread.interrupted()).isTrue();
        Awaitility.await().until(() -> areFree("a", "b", "c"));
        assertThat(onAnotherThread(() -> locks.acquire(ALL).isHeld())).isTrue();
    }

    @Test
    void interrupt_of_one_try_is_kept_and_the_call_sent_again() {
        store.afterNextCallHere(() -> {
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });

        LockHandle handle = locks.tryAcquire(ALL).orElseThrow();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(store.joint).containsExactly(3, 3);
        handle.close();
        Awaitility.await().until(() -> store.leaves.size() == 3);
    }

    @Test
    void refusal_of_a_call_that_was_sent_twice_is_cancelled() {
        others.acquire("b");
        store.acquires.clear();
        store.beforeNextCallHere(() -> {
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });

        assertThat(locks.tryAcquire(ALL)).isEmpty();

        assertThat(Thread.interrupted()).isTrue();
        Awaitility.await().until(() -> store.leaves.size() == 3);
    }

    @Test
    void thread_that_holds_one_of_them_takes_them_in_order() {
        try (LockHandle outer = locks.acquire("b");
                LockHandle all = locks.acquire(ALL)) {
            assertThat(all.fencingToken(key("b"))).isEqualTo(outer.fencingToken());
        }
        assertThat(store.joint).containsExactly(-2);
    }

    @Test
    void shared_lock_that_the_thread_holds_is_entered_again() {
        LockRequest permit = LockRequest.of("b").shared(1);
        try (LockHandle outer = locks.acquire(permit);
                LockHandle all = locks.acquire(permit.and(LockRequest.of("c")))) {
            assertThat(all.fencingToken(key("b"))).isEqualTo(outer.fencingToken());
            assertThat(store.joint).isEmpty();
        }
    }

    @Test
    void lock_of_another_thread_of_the_client_is_waited_for_in_order() {
        onAnotherThread(() -> locks.acquire("b").detach());

        assertThatThrownBy(() -> locks.acquire(ALL.waitFor(Duration.ofSeconds(1))))
                .isInstanceOfSatisfying(
                        LockNotAcquiredException.class, e -> assertThat(e.key()).isEqualTo(key("b")));
        assertThat(locks.tryAcquire(ALL)).isEmpty();

        assertThat(store.joint).isEmpty();
        assertThat(areFree("a", "c")).isTrue();
    }

    @Test
    void shared_and_fair_locks_go_the_same_way() {
        LockRequest mixed = LockRequest.of("a")
                .shared(2)
                .and(LockRequest.of("b").fair(true))
                .and(LockRequest.of("c").shared());
        try (LockHandle handle = locks.acquire(mixed);
                LockHandle beside = others.acquire(
                        LockRequest.of("a").shared(2).and(LockRequest.of("c").shared()))) {
            assertThat(handle.isHeld() && beside.isHeld()).isTrue();
            assertThat(others.tryAcquire(LockRequest.of("b"))).isEmpty();
            assertThat(onAnotherThread(
                            () -> others.tryAcquire(LockRequest.of("a").shared(2))))
                    .isEmpty();
        }
        assertThat(store.joint).containsExactly(3, 2, -2, -3);
        assertThat(areFree("a", "b", "c")).isTrue();
    }

    @Test
    void lock_that_was_taken_away_is_found_by_the_release_of_all() {
        LockHandle handle = locks.acquire(ALL);
        others.forceRelease("b");
        LockHandle next = others.acquire("b");

        assertThatThrownBy(handle::close)
                .isInstanceOfSatisfying(
                        LockLostException.class, e -> assertThat(e.key()).isEqualTo(key("b")));

        assertThat(next.isHeld()).isTrue();
        assertThat(areFree("a", "c")).isTrue();
        assertThat(areFree("b")).isFalse();
    }

    @Test
    void release_that_is_not_answered_is_repeated_for_each_lock() {
        LockHandle handle = locks.acquire(ALL);
        store.beforeNextCallHere(() -> {
            throw StoreSpy.unreachable();
        });

        handle.close();

        Awaitility.await().until(() -> areFree("a", "b", "c"));
        assertThat(locks.held()).isEmpty();
        assertThat(onAnotherThread(() -> locks.tryAcquire(ALL))).isPresent();
    }

    @Test
    void lock_that_a_thread_stands_in_line_for_is_given_back_last() {
        StoreSpy real = new StoreSpy(new InMemoryLockStore());
        try (LockEngine client = LockEngine.builder(real).build()) {
            LockHandle handle = client.acquire(ALL);
            CompletableFuture<Boolean> othersWereFree = CompletableFuture.supplyAsync(() -> {
                try (LockHandle next = client.acquire(LockRequest.of("b").waitFor(Duration.ofMinutes(1)))) {
                    return Stream.of("a", "c")
                            .allMatch(key -> real.inspect(key(key)).holder().isEmpty());
                }
            });
            Awaitility.await().until(() -> client.waiting().size() == 1);

            handle.close();

            assertThat(othersWereFree.orTimeout(30, TimeUnit.SECONDS).join()).isTrue();
        }
        assertThat(real.joint).containsExactly(3, -2);
    }

    @Test
    void thread_that_comes_during_the_call_goes_on_when_it_is_refused() {
        StoreSpy real = new StoreSpy(new InMemoryLockStore());
        try (LockEngine client = LockEngine.builder(real).build();
                LockEngine other = LockEngine.builder(real).build()) {
            other.acquire("b");
            List<CompletableFuture<LockHandle>> coming = new ArrayList<>();
            real.afterNextCallHere(() -> {
                coming.add(CompletableFuture.supplyAsync(
                        () -> client.acquire(LockRequest.of("a").waitFor(Duration.ofMinutes(1)))));
                Awaitility.await().until(() -> client.waiting().size() == 1);
            });

            assertThat(client.tryAcquire(ALL)).isEmpty();

            assertThat(coming.get(0).orTimeout(30, TimeUnit.SECONDS).join().isHeld())
                    .isTrue();
        }
    }

    @Test
    void closed_client_takes_no_locks_together() {
        locks.close();
        assertThatThrownBy(() -> locks.acquire(ALL)).isInstanceOf(IllegalStateException.class);
        assertThat(store.joint).isEmpty();
    }

    @Test
    void client_that_is_closed_during_the_call_gives_all_back() {
        store.afterNextCallHere(locks::close);

        assertThatThrownBy(() -> locks.acquire(ALL)).isInstanceOf(IllegalStateException.class);

        Awaitility.await().until(() -> areFree("a", "b", "c"));
        assertThat(locks.held()).isEmpty();
    }

    private boolean areFree(String... keys) {
        for (String key : keys) {
            if (store.inspect(key(key)).holder().isPresent()) {
                return false;
            }
        }
        return true;
    }

    private static LockKey key(String key) {
        return LockKey.of(key);
    }
}
