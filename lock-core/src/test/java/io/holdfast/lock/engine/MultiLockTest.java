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
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.testing.RunningTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several locks as one. */
@Timeout(120)
class MultiLockTest extends EngineFixture {

    private static final LockRequest ALL = LockRequest.ofAll(List.of("b", "c", "a"));
    private static final int ROUNDS = 500;
    private static final Duration LONG = Duration.ofMinutes(10);

    @Test
    void locks_are_taken_in_one_order_whatever_order_they_are_named_in() {
        LockHandle handle = locks.acquire(ALL);

        assertThat(store.acquires).extracting(AcquireRequest::key).containsExactly(key("a"), key("b"), key("c"));
        assertThat(handle.keys()).containsExactly(key("a"), key("b"), key("c"));
        assertThat(handle.key()).isEqualTo(key("a"));
        assertThat(LockRequest.ofAll(List.of("a", "c", "b", "a")).keys()).isEqualTo(ALL.keys());
    }

    @Test
    void handle_prints_all_keys() {
        assertThat(locks.acquire(ALL))
                .asString()
                .startsWith("LockHandle[a, fencing token ")
                .contains("; b, ", "; c, ");
    }

    @Test
    void work_on_several_locks_is_cancelled_at_a_loss_only_if_it_is_asked_for() {
        for (boolean interrupts : new boolean[] {true, false}) {
            CompletableFuture<String> stage = new CompletableFuture<>();
            CountDownLatch started = new CountDownLatch(1);
            CompletableFuture<String> result = locks.executeAsync(ALL.interruptOnLoss(interrupts), lock -> {
                started.countDown();
                return stage;
            });
            Awaitility.await().until(() -> started.getCount() == 0);

            locks.forceRelease("b");

            if (interrupts) {
                Awaitility.await().until(stage::isCancelled);
            }
            stage.complete("done");
            assertThat(stage.isCancelled()).isEqualTo(interrupts);
            assertThat(catchThrowable(result::join)).isNotNull();
        }
    }

    @Test
    void all_are_held_or_none() {
        LockHandle blocker = others.acquire("b");

        assertThat(locks.tryAcquire(ALL)).isEmpty();

        assertThat(isFree("a")).isTrue();
        assertThat(isFree("c")).isTrue();
        assertThat(locks.held()).isEmpty();
        blocker.close();
        assertThat(locks.tryAcquire(ALL)).isPresent();
        assertThat(isFree("a") || isFree("b") || isFree("c")).isFalse();
    }

    @Test
    void refusal_names_the_lock_that_was_not_free() {
        others.acquire("b");
        assertThatThrownBy(() -> locks.acquire(ALL.waitFor(Duration.ofSeconds(1))))
                .isInstanceOfSatisfying(
                        LockNotAcquiredException.class, e -> assertThat(e.key()).isEqualTo(key("b")));
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void one_budget_serves_all_locks() {
        others.acquire(LockRequest.of("a").lease(Duration.ofSeconds(2)).renew(false));
        others.acquire(LockRequest.of("b").lease(Duration.ofSeconds(4)).renew(false));
        others.acquire("c");
        long start = time.nanos();

        assertThatThrownBy(() -> locks.acquire(ALL.waitFor(Duration.ofSeconds(5))))
                .isInstanceOf(LockNotAcquiredException.class);

        assertThat(Duration.ofNanos(time.nanos() - start)).isBetween(Duration.ofSeconds(5), Duration.ofMillis(5100));
        assertThat(isFree("a")).isTrue();
        assertThat(isFree("b")).isTrue();
    }

    @Test
    void locks_that_are_given_back_unused_are_not_kept_for_their_minimum_hold() {
        others.acquire("c");

        assertThatThrownBy(() -> locks.acquire(ALL.minHold(LONG).waitFor(Duration.ofSeconds(1))))
                .isInstanceOf(LockNotAcquiredException.class);

        assertThat(isFree("a") && isFree("b")).isTrue();
    }

    @Test
    void locks_that_are_given_back_because_one_was_lost_are_taken_anew_although_they_have_a_minimum_hold() {
        others.acquire(LockRequest.of("c").lease(Duration.ofSeconds(3)).renew(false));
        store.beforeAcquire = () -> {
            if (store.acquires.size() == 6) { // all at once, and then one by one
                locks.forceRelease("a");
            }
        };

        LockHandle handle = locks.acquire(ALL.minHold(LONG).waitFor(Duration.ofSeconds(10)));

        assertThat(handle.isHeld()).isTrue();
        handle.close();
        assertThat(isFree("a") || isFree("b") || isFree("c")).isFalse();
    }

    @Test
    void lock_that_was_entered_again_in_vain_is_kept_for_the_minimum_hold_of_its_outer_request() {
        LockHandle outer = locks.acquire(LockRequest.of("a").minHold(LONG));
        others.acquire("b");

        assertThatThrownBy(() -> locks.acquire(ALL.waitFor(Duration.ofSeconds(1))))
                .isInstanceOf(LockNotAcquiredException.class);

        outer.close();
        assertThat(isFree("a")).isFalse();
    }

    @Test
    void each_lock_has_a_token_of_its_own() {
        LockHandle handle = locks.acquire(ALL);

        assertThat(handle.fencingToken(key("b")))
                .isEqualTo(store.inspect(key("b")).holder().orElseThrow().fencingToken());
        assertThatThrownBy(handle::fencingToken)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("fencingToken(key)");
        assertThatThrownBy(() -> handle.fencingToken(key("d"))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void handle_is_held_while_all_locks_are() {
        LockHandle handle = locks.acquire(ALL);
        assertThat(handle.isHeld()).isTrue();
        handle.ensureHeld();
        assertThat(handle.remaining()).isEqualTo(Duration.ofSeconds(30));

        handle.extend(Duration.ofMinutes(2));
        assertThat(handle.remaining()).isEqualTo(Duration.ofMinutes(2));

        handle.close();
        handle.close();
        assertThat(handle.isHeld()).isFalse();
        assertThat(handle.remaining()).isZero();
        assertThatThrownBy(handle::ensureHeld).isInstanceOf(IllegalStateException.class);
        assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
    }

    @Test
    void lock_that_is_lost_makes_the_handle_lost_and_the_others_are_released() {
        LockHandle handle = locks.acquire(ALL);
        List<LockEvent.Lost> reported = new CopyOnWriteArrayList<>();
        handle.onLost(reported::add);
        others.forceRelease("b");
        assertThatThrownBy(() -> handle.extend(Duration.ofMinutes(1))).isInstanceOf(LockLostException.class);

        assertThat(handle.isHeld()).isFalse();
        assertThat(handle.remaining()).isZero();
        assertThatThrownBy(handle::ensureHeld).isInstanceOf(LockLostException.class);
        assertThatThrownBy(handle::close)
                .isInstanceOfSatisfying(
                        LockLostException.class, e -> assertThat(e.key()).isEqualTo(key("b")));

        assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
        locks.close();
        Awaitility.await().until(() -> reported.size() == 1);
        assertThat(reported).extracting(LockEvent.Lost::key).containsExactly(key("b"));
    }

    @Test
    void loss_of_all_locks_is_thrown_once_and_told_once() {
        LockHandle handle = locks.acquire(ALL);
        List<LockEvent.Lost> reported = new CopyOnWriteArrayList<>();
        handle.onLost(reported::add);
        time.pass(Duration.ofMinutes(1));

        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);

        handle.close();
        assertThat(locks.held()).isEmpty();
        Awaitility.await().until(() -> !reported.isEmpty());
        locks.close(); // which waits for all that are to be told
        assertThat(reported).hasSize(1);
    }

    @Test
    void lock_that_is_lost_while_the_others_are_waited_for_is_taken_anew() {
        others.acquire(LockRequest.of("c").lease(Duration.ofSeconds(3)).renew(false));

        LockHandle handle = locks.acquire(ALL.lease(Duration.ofSeconds(1)).renew(false));

        assertThat(handle.isHeld()).isTrue();
        assertThat(locks.held()).hasSize(3);
        handle.close();
        assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
    }

    @Test
    void work_that_never_ran_has_lost_nothing_when_the_time_is_over() {
        others.acquire(LockRequest.of("c").lease(Duration.ofDays(1)));

        assertThatThrownBy(() -> locks.execute(
                        ALL.lease(Duration.ofSeconds(1)).renew(false).waitFor(Duration.ofSeconds(4)), () -> {}))
                .isInstanceOfSatisfying(
                        LockNotAcquiredException.class, e -> assertThat(e.key()).isEqualTo(key("c")));
        assertThat(locks.held()).isEmpty();
        assertThat(isFree("a") && isFree("b")).isTrue();
    }

    @Test
    void locks_that_cannot_be_held_together_at_all_are_a_failure_of_the_store() {
        store.oneByOne = true;
        store.after = () -> time.pass(Duration.ofMillis(60));

        assertThatThrownBy(() -> locks.tryAcquire(ALL.lease(Duration.ofMillis(100))))
                .isInstanceOf(LockStoreException.class);

        store.after = () -> {};
        assertThat(locks.held()).isEmpty();
        assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
    }

    @Test
    void detached_handle_may_be_closed_by_another_thread() {
        LockHandle handle = locks.acquire(ALL);
        assertThat(handle.detach()).isSameAs(handle);
        assertThat(locks.getLock("b").isHeldByCurrentThread()).isFalse();

        onAnotherThread(() -> {
            handle.close();
            return "closed";
        });

        assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
    }

    @Test
    void lock_that_the_thread_holds_already_is_entered_again() {
        LockHandle outer = locks.acquire("b");
        try (LockHandle all = locks.acquire(ALL)) {
            assertThat(all.fencingToken(key("b"))).isEqualTo(outer.fencingToken());
        }
        assertThat(outer.isHeld()).isTrue();
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void interrupt_while_one_is_waited_for_releases_the_others() {
        others.acquire("b");
        store.after = Thread.currentThread()::interrupt;

        assertThatThrownBy(() -> locks.acquire(ALL)).isInstanceOf(LockInterruptedException.class);

        store.after = () -> {};
        assertThat(Thread.interrupted()).isTrue();
        assertThat(isFree("a")).isTrue();
        Awaitility.await().until(() -> store.inspect(key("b")).waiters() == 0);
    }

    @Test
    void failure_while_one_is_waited_for_releases_the_others() {
        others.acquire("b");
        store.beforeAcquire = () -> {
            if (!isFree("a")) {
                throw new IllegalStateException("on purpose");
            }
        };

        assertThatThrownBy(() -> locks.acquire(ALL.waitFor(LONG))).hasMessageContaining("on purpose");

        assertThat(isFree("a")).isTrue();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void read_write_lock_of_several_keys_is_refused() {
        assertThatThrownBy(() -> locks.getReadWriteLock(ALL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[a, b, c]");
    }

    @Test
    void each_key_is_locked_in_its_own_mode() {
        LockHandle handle = locks.acquire(LockRequest.of("a").shared().and(LockRequest.of("b")));

        assertThat(handle.keys()).containsExactly(key("a"), key("b"));
        assertThat(others.tryAcquire(LockRequest.of("a"))).isEmpty();
        assertThat(others.tryAcquire(LockRequest.of("b").shared())).isEmpty();
        others.acquire(LockRequest.of("a").shared()).close();
        handle.close();
        assertThat(isFree("a") && isFree("b")).isTrue();
    }

    @Test
    void view_locks_all_keys_or_none() throws InterruptedException {
        RemoteLock view = locks.getLock(ALL);
        assertThat(view.keys()).containsExactly(key("a"), key("b"), key("c"));
        assertThat(view.key()).isEqualTo(key("a"));
        LockHandle blocker = others.acquire("c");
        assertThat(view.isLocked()).isTrue();
        assertThat(view.tryLock(1, TimeUnit.SECONDS)).isFalse();
        assertThat(isFree("a") && isFree("b")).isTrue();
        blocker.close();

        assertThat(view.tryLock()).isTrue();
        view.lock();

        assertThat(view.holdCount()).isEqualTo(2);
        assertThat(view.isHeldByCurrentThread()).isTrue();
        assertThat(view.remaining()).isEqualTo(Duration.ofSeconds(30));
        assertThat(onAnotherThread(view::isHeldByCurrentThread)).isFalse();
        assertThatThrownBy(view::fencingToken).isInstanceOf(IllegalStateException.class);
        assertThat(view.toString()).contains("RemoteLock[a", "RemoteLock[c");
        view.unlock();
        assertThat(view.isHeldByCurrentThread()).isTrue();
        view.unlock();
        assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
        assertThat(view.isLocked()).isFalse();
    }

    @Test
    void view_unlocks_nothing_if_one_of_its_keys_is_not_locked_through_a_view() {
        RemoteLock view = locks.getLock(ALL);
        assertThatThrownBy(view::unlock).isInstanceOf(IllegalMonitorStateException.class);
        view.lock();
        locks.getLock("b").unlock();

        assertThatThrownBy(view::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("'b'");

        assertThat(isFree("a") || isFree("c")).isFalse();
        assertThat(view.isHeldByCurrentThread()).isFalse();
        assertThat(view.holdCount()).isZero();
        locks.getLock("a").unlock();
        locks.getLock("c").unlock();
    }

    @Test
    void view_that_lost_one_of_its_keys_says_so_and_gives_back_the_others() {
        RemoteLock view = locks.getLock(ALL);
        view.lock();
        locks.forceRelease("b");

        assertThat(view.isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(view::unlock).isInstanceOf(LockLostException.class);
        assertThat(isFree("a") && isFree("c")).isTrue();
    }

    @Test
    void view_takes_all_its_keys_away_by_force() {
        RemoteLock view = locks.getLock(ALL);
        assertThat(view.forceUnlock()).isFalse();
        others.acquire(ALL);

        assertThat(view.forceUnlock()).isTrue();
        assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
    }

    @Test
    void overlapping_locks_in_any_order_never_wait_for_each_other_in_a_cycle() throws Exception {
        RunningTime.withoutPause(MultiLockTest::lockInAnyOrder);
    }

    private static void lockInAnyOrder() throws Exception {
        List<List<String>> sets =
                List.of(List.of("a", "b"), List.of("b", "c"), List.of("c", "a"), List.of("c", "b", "a"));
        InMemoryLockStore real = new InMemoryLockStore();
        ExecutorService threads = Executors.newFixedThreadPool(2 * sets.size());
        int[] guarded = new int[1];
        try (LockEngine one = LockEngine.builder(real).build();
                LockEngine two = LockEngine.builder(real).build()) {
            List<Future<?>> running = new ArrayList<>();
            for (List<String> set : sets) {
                running.add(threads.submit(() -> lockOften(one, set, guarded)));
                running.add(threads.submit(() -> lockOften(two, set, guarded)));
            }
            for (Future<?> each : running) {
                each.get(100, TimeUnit.SECONDS);
            }
            assertThat(one.held()).isEmpty();
            assertThat(two.held()).isEmpty();
        } finally {
            threads.shutdownNow();
        }
        assertThat(guarded[0]).isEqualTo(2 * ROUNDS);
    }

    /** Counts where all three are held. */
    private static void lockOften(LockEngine client, List<String> keys, int[] guarded) {
        LockRequest request = LockRequest.ofAll(keys).waitFor(Duration.ofMinutes(2));
        for (int i = 0; i < ROUNDS; i++) {
            client.execute(request, () -> {
                if (keys.size() == 3) {
                    guarded[0]++;
                }
            });
        }
    }

    private boolean isFree(String key) {
        return store.inspect(key(key)).holder().isEmpty();
    }

    private static LockKey key(String key) {
        return LockKey.of(key);
    }
}
