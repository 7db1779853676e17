package io.holdfast.lock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.leader.Term;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever waits here for a day would not come back in time. */
@Timeout(60)
class TestLocksTest {

    private static final String KEY = "order:42";
    private static final Duration DAY = Duration.ofDays(1);

    private final SimulatedLockStore store = new SimulatedLockStore();
    private final LockEngine locks =
            LockEngine.builder(store).requests(store::withoutVainWait).build();
    private final TestLocks testLocks = new TestLocks(store, () -> locks);

    @AfterEach
    void close() {
        testLocks.reset();
        locks.close();
    }

    private static LockRequest patient() {
        return LockRequest.of(KEY).waitFor(DAY);
    }

    @Test
    void lock_has_data_until_the_test_is_over() {
        LockRequest request = LockRequest.of(KEY).withData(DAY);
        locks.execute(request, lock -> {
            lock.saveData(new byte[] {7});
        });
        assertThat(locks.data(KEY).bytes().orElseThrow()).containsExactly(7);

        testLocks.reset();

        assertThat(locks.data(KEY).bytes()).isEmpty();
        locks.execute(request, lock -> {
            assertThat(lock.data().bytes()).isEmpty();
            lock.saveData(new byte[] {8});
            assertThat(lock.data().bytes().orElseThrow()).containsExactly(8);
        });
    }

    @Test
    void lock_that_is_held_elsewhere_is_refused_at_once() {
        try (var elsewhere = testLocks.holdElsewhere(KEY)) {
            assertThatThrownBy(() -> locks.acquire(patient()))
                    .isInstanceOfSatisfying(
                            LockNotAcquiredException.class,
                            e -> assertThat(e.holder()).map(LockHolder::host).contains("another-host"));
            assertThat(locks.tryAcquire(patient())).isEmpty();
        }
    }

    @Test
    void lock_is_free_when_it_is_no_more_held_elsewhere() {
        Simulation elsewhere = testLocks.holdElsewhere(KEY);
        elsewhere.close();

        try (LockHandle handle = locks.acquire(KEY)) {
            elsewhere.close();
            assertThat(handle.isHeld()).isTrue();
            handle.ensureHeld();
        }
    }

    @Test
    void scan_lists_what_is_held_here_and_elsewhere() {
        try (var elsewhere = testLocks.holdElsewhere(KEY);
                var here = locks.acquire("order:41")) {
            assertThat(here.isHeld()).isTrue();
            assertThat(locks.scan(LockScanRequest.ALL).locks())
                    .extracting(LockStatus::key)
                    .containsExactly(LockKey.of("order:41"), LockKey.of(KEY));
        }
    }

    @Test
    void all_locks_name_a_wait_of_a_thread_that_holds_another_lock() {
        CompletableFuture<Boolean> nested;
        try (var first = locks.acquire("order:41")) {
            nested = NewThread.start(() -> {
                try (var second = locks.acquire(KEY);
                        var both = locks.acquire(LockRequest.of("order:41").waitFor(DAY))) {
                    return both.isHeld() && second.isHeld();
                }
            });
            Awaitility.await().until(() -> !locks.waits().nestedWaits().isEmpty());

            assertThat(locks.waits().nestedWaits()).singleElement().satisfies(wait -> {
                assertThat(wait.key()).isEqualTo(LockKey.of("order:41"));
                assertThat(wait.holds()).extracting(NestedWait.HeldLock::key).containsExactly(LockKey.of(KEY));
            });
            assertThat(first.isHeld()).isTrue();
        }
        assertThat(nested.join()).isTrue();
    }

    @Test
    void thread_that_holds_a_lock_elsewhere_does_not_reenter_it() {
        try (var elsewhere = testLocks.holdElsewhere(KEY)) {
            assertThatThrownBy(() -> testLocks.holdElsewhere(KEY))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(KEY);
        }
    }

    @Test
    void lock_of_the_application_cannot_be_held_elsewhere() {
        try (LockHandle handle = locks.acquire(KEY)) {
            assertThatThrownBy(() -> testLocks.holdElsewhere(LockRequest.ofAll(List.of("order:41", KEY))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(KEY);
            assertThat(handle.isHeld()).isTrue();
        }
        assertThat(locks.tryAcquire("order:41")).isPresent();
    }

    @Test
    void multi_lock_is_refused_at_once_if_one_of_its_keys_is_held_elsewhere() {
        try (var elsewhere = testLocks.holdElsewhere(KEY)) {
            LockRequest both = LockRequest.ofAll(List.of("order:41", KEY)).waitFor(DAY);
            assertThatThrownBy(() -> locks.acquire(both)).isInstanceOf(LockNotAcquiredException.class);
            assertThat(testLocks.heldKeys()).isEmpty();
        }
    }

    @Test
    void reader_elsewhere_keeps_out_writers_only() {
        try (var elsewhere = testLocks.holdElsewhere(LockRequest.of(KEY).shared())) {
            locks.acquire(patient().shared()).close();
            assertThatThrownBy(() -> locks.acquire(patient())).isInstanceOf(LockNotAcquiredException.class);
        }
    }

    @Test
    void permits_that_are_all_taken_elsewhere_are_refused_at_once() {
        LockRequest permit = LockRequest.of(KEY).shared(2);
        try (var one = testLocks.holdElsewhere(permit);
                var two = testLocks.holdElsewhere(permit)) {
            assertThatThrownBy(() -> locks.acquire(permit.waitFor(DAY))).isInstanceOf(LockNotAcquiredException.class);
        }
    }

    @Test
    void last_permit_that_a_sibling_thread_will_give_back_is_waited_for() {
        LockRequest permit = LockRequest.of(KEY).shared(2).waitFor(DAY);
        try (var elsewhere = testLocks.holdElsewhere(permit)) {
            LockHandle sibling = NewThread.call(() -> locks.acquire(permit));
            CompletableFuture<Long> next = CompletableFuture.supplyAsync(() -> tokenOf(permit));
            Awaitility.await().until(() -> testLocks.waiters(KEY) == 1);
            sibling.close();
            assertThat(next).succeedsWithin(30, TimeUnit.SECONDS);
        }
    }

    private long tokenOf(LockRequest request) {
        try (LockHandle handle = locks.acquire(request)) {
            return handle.fencingToken();
        }
    }

    @Test
    void lock_that_is_held_elsewhere_for_a_while_is_waited_for() {
        Simulation elsewhere = testLocks.holdElsewhereUntilClosed(KEY);
        CompletableFuture<Long> waiting = CompletableFuture.supplyAsync(() -> tokenOf(patient()));
        Awaitility.await().until(() -> testLocks.waiters(KEY) == 1);

        assertThat(waiting).isNotDone();
        elsewhere.close();

        assertThat(waiting).succeedsWithin(30, TimeUnit.SECONDS);
    }

    @Test
    void lost_lock_is_lost_at_once() {
        LockHandle handle = locks.acquire(KEY);

        testLocks.lose(KEY);

        assertThat(handle.isHeld()).isFalse();
        assertThatThrownBy(handle::ensureHeld).isInstanceOf(LockLostException.class);
        assertThat(testLocks.isHeld(KEY)).isFalse();
        assertThatThrownBy(handle::close)
                .isInstanceOfSatisfying(
                        LockLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.REVOKED));
    }

    @Test
    void work_whose_lock_is_lost_ends_with_that() {
        assertThatThrownBy(() -> locks.execute(KEY, () -> testLocks.lose(KEY))).isInstanceOf(LockLostException.class);
    }

    @Test
    void only_a_lock_of_the_application_can_be_lost() {
        try (var elsewhere = testLocks.holdElsewhere(KEY);
                LockHandle other = locks.acquire("order:43")) {
            assertThatThrownBy(() -> testLocks.lose(KEY))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(KEY)
                    .hasMessageContaining("[order:43]");
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void store_fails_until_the_outage_ends() {
        try (var outage = testLocks.failStore()) {
            assertThatThrownBy(() -> locks.acquire(patient()))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("TestLocks.failStore()");
            assertThatThrownBy(() -> locks.inspect(KEY)).isInstanceOf(LockStoreException.class);
        }
        locks.acquire(KEY).close();
    }

    @Test
    void lock_that_was_held_before_an_outage_stays_held() {
        LockHandle handle = locks.acquire(KEY);
        try (var outage = testLocks.failStore()) {
            assertThat(handle.isHeld()).isTrue();
            assertThat(testLocks.isHeld(KEY)).isTrue();
            assertThatThrownBy(() -> handle.extend(DAY)).isInstanceOf(LockStoreException.class);
            handle.close();
        }
        Awaitility.await().until(() -> !testLocks.isHeld(KEY));
    }

    @Test
    void overlapping_outages_end_with_the_last() {
        Simulation first = testLocks.failStore();
        Simulation second = testLocks.failStore();
        first.close();
        first.close();

        assertThatThrownBy(() -> locks.tryAcquire(KEY)).isInstanceOf(LockStoreException.class);

        second.close();
        assertThat(locks.tryAcquire(KEY)).isPresent();
    }

    @Test
    void held_are_the_keys_of_the_application() {
        try (var elsewhere = testLocks.holdElsewhere("order:1");
                LockHandle b = locks.acquire("order:3");
                LockHandle a = locks.acquire("order:2")) {
            assertThat(testLocks.isHeld("order:1")).isFalse();
            assertThat(testLocks.isHeld("order:2")).isTrue();
            assertThat(testLocks.heldKeys()).containsExactly("order:2", "order:3");
        }
        assertThat(testLocks.heldKeys()).isEmpty();
    }

    @Test
    void reset_ends_everything() {
        testLocks.holdElsewhere("order:1");
        testLocks.holdElsewhereUntilClosed("order:2");
        testLocks.failStore();

        testLocks.reset();

        assertThat(locks.tryAcquire(LockRequest.ofAll(List.of("order:1", "order:2"))))
                .isPresent();
    }

    @Test
    void reset_frees_what_a_test_has_left_held() {
        LockHandle left = locks.acquire(KEY);

        testLocks.reset();

        assertThat(left.isHeld()).isFalse();
        assertThat(NewThread.call(() -> locks.tryAcquire(KEY))).isPresent();
    }

    @Test
    void reset_frees_what_is_kept_for_a_minimum_time() {
        locks.execute(LockRequest.of(KEY).minHold(DAY), () -> {});
        assertThat(testLocks.isHeld(KEY)).isTrue();

        testLocks.reset();

        assertThat(locks.tryAcquire(KEY)).isPresent();
    }

    @Test
    void template_is_not_needed_while_nothing_is_held() {
        TestLocks alone = new TestLocks(store, () -> {
            throw new IllegalStateException("There is no " + LockTemplate.class);
        });
        alone.holdElsewhere(KEY);

        alone.reset();

        assertThat(alone.heldKeys()).isEmpty();
    }

    @Test
    void handle_that_a_test_left_open_does_not_count_in_the_next_one() {
        LockHandle left = locks.acquire(KEY);

        testLocks.reset();

        assertThatCode(() -> locks.ensureHeld(Duration.ZERO)).doesNotThrowAnyException();
        assertThat(locks.tryAcquire(KEY)).isPresent();
        assertThatThrownBy(left::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void candidate_waits_while_another_instance_leads_and_follows_at_once() {
        Simulation elsewhere = testLocks.holdElsewhere("leader:outbox");
        try (LeaderElection election = LeaderElection.on(locks)) {
            Leadership outbox = election.join("outbox");
            election.start();
            Awaitility.await().until(() -> testLocks.waiters("leader:outbox") == 1);
            assertThat(outbox.isLeader()).isFalse();
            assertThat(testLocks.leaderKeys()).isEmpty();

            elsewhere.close();

            Awaitility.await().until(outbox::isLeader);
            assertThat(testLocks.leaderKeys()).containsExactly("leader:outbox");
            assertThat(testLocks.heldKeys()).isEmpty();
        }
    }

    @Test
    void lock_that_is_only_named_like_that_of_a_role_is_an_ordinary_one() {
        LockHandle board = locks.acquire(
                LockRequest.of("leader:board").name("leader-board").waitForever());
        assertThat(testLocks.heldKeys()).containsExactly("leader:board");

        testLocks.reset();

        assertThat(board.isHeld()).isFalse();
    }

    @Test
    void term_ends_when_its_lock_is_lost() {
        try (LeaderElection election = LeaderElection.on(locks)) {
            Leadership outbox =
                    election.join("outbox", LockRequest.of("own-key").name("own-name"));
            election.start();
            Awaitility.await().until(outbox::isLeader);
            Term term = outbox.term().orElseThrow();

            testLocks.lose("own-key");

            assertThat(outbox.term()).isNotEqualTo(Optional.of(term));
        }
    }

    @Test
    void doubles_of_exceptions_have_the_key_and_a_message() {
        LockNotAcquiredException refused = TestLocks.notAcquired(KEY);
        assertThat(refused.key()).isEqualTo(LockKey.of(KEY));
        assertThat(refused.waitedFor()).isZero();
        assertThat(refused.holder()).isEmpty();

        LockLostException lost = TestLocks.lost(KEY);
        assertThat(lost.key()).isEqualTo(LockKey.of(KEY));
        assertThat(lost.lossCause()).isEqualTo(LossCause.EXPIRED);

        LockStoreException failed = TestLocks.storeFailed();
        assertThat(failed.outcomeUnknown()).isFalse();
        assertThat(failed)
                .hasMessage("The lock store does not respond: this exception was created by TestLocks.storeFailed().");
    }
}
