package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.waiting.Budget;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who asks a store that fails while locks are waited for, how often, and as which acquisition. */
class OutageStepsTest extends StepsFixture {

    private static final Duration TOLERANCE = Duration.ofSeconds(30);
    private static final Duration NOT_FIRST = Duration.ofSeconds(1);

    /** These confirm each grant by message, so they ask when they are woken. */
    private static final LockRequest A = request("a").renew(false);

    private static final LockRequest B = request("b").renew(false);
    private static final LockRequest C = request("c").renew(false);

    private Steps waiting(String name, LockRequest request) {
        heldByOther(request.key().value());
        Steps waiter = steps(name, request);
        assertWaits(waiter);
        return waiter;
    }

    private List<OwnerId> askedFor(LockRequest request) {
        return store.acquires.stream()
                .filter(asked -> asked.key().equals(request.key()))
                .map(asked -> asked.owner())
                .toList();
    }

    /** The store fails for half a second: all have met that, and the store answers again. */
    private void failForHalfASecond() {
        store.reachable(false);
        pass(Duration.ofMillis(500));
        store.reachable(true);
        pass(Duration.ofSeconds(1));
        woken.clear();
        store.acquires.clear();
    }

    /** Those who wait for these locks have met a failure, are called, and meet another one. */
    private void releasedInAnOutage(String... keys) {
        failForHalfASecond();
        for (String key : keys) {
            releasedByOther(key);
        }
        store.reachable(false);
    }

    /** The store answers again, and has learned that the acquisitions of that lock are over whose outcome was unknown. */
    private void recover(String key) {
        store.reachable(true);
        store.beforeAcquire = () -> {};
        Awaitility.await().until(() -> isFree(key));
    }

    /** The next one in line knows of the failure as well, and asks after a rest. */
    private void assertGrantedAfterRest(Steps next) {
        assertThat(proceed(next)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
        time.pass(Duration.ofMillis(100));
        granted(next).close();
    }

    @Test
    void waiter_does_not_ask_a_store_that_its_client_polls() {
        Steps a = waiting("a", A);
        store.acquires.clear();
        store.reachable(false);
        pass(Duration.ofSeconds(1));

        assertThat(woken).contains("a");
        assertThat(proceed(a)).isBetween(TOLERANCE.minusSeconds(1), TOLERANCE);
        assertThat(store.acquires).isEmpty();
    }

    @Test
    void those_who_met_a_failure_ask_one_after_the_other() {
        Steps a = waiting("a", A);
        Steps b = waiting("b", B);
        releasedInAnOutage("a", "b");

        assertThat(proceed(a)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
        assertThat(proceed(b)).isEqualTo(NOT_FIRST);
        assertThat(askedFor(A)).hasSize(1);
        assertThat(askedFor(B)).isEmpty();

        time.pass(Duration.ofMillis(100));
        assertThat(proceed(a)).isBetween(Duration.ofMillis(100), Duration.ofMillis(200));
        assertThat(proceed(b)).isEqualTo(NOT_FIRST);
        assertThat(askedFor(A)).hasSize(2).doesNotHaveDuplicates();
        assertThat(askedFor(B)).isEmpty();

        recover("a");
        time.pass(Duration.ofMillis(200));
        assertThat(proceed(b)).isEqualTo(NOT_FIRST);
        woken.clear();
        granted(a).close();
        assertThat(woken).containsExactly("b");
        granted(b).close();
    }

    @Test
    void who_gave_up_in_an_outage_lets_the_next_one_ask() {
        Steps a = waiting("a", A.waitFor(Duration.ofSeconds(10)));
        Steps b = waiting("b", B);
        releasedInAnOutage("a", "b");
        assertWaits(a);
        assertWaits(b);
        time.pass(Duration.ofSeconds(10));
        woken.clear();

        assertThatThrownBy(() -> proceed(a))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("did not recover in time");

        assertThat(woken).containsExactly("b");
        assertThat(locks.waiting()).hasSize(1);
        store.reachable(true);
        granted(b).close();
        granted(steps("again", A)).close();
    }

    @Test
    void who_has_no_time_left_when_the_store_is_back_asks_once_more_and_leaves_no_entry() {
        Steps a = waiting("a", A);
        Steps b = waiting("b", B.waitFor(Duration.ofSeconds(10)));
        OwnerId ownerOfB = askedFor(B).get(0);
        Steps c = waiting("c", C);
        failForHalfASecond();
        releasedByOther("a");
        releasedByOther("c");
        store.leave(B.key(), ownerOfB, Duration.ZERO, ReleaseRequest.NO_TOKEN);
        pass(Duration.ofMillis(500));
        assertThat(woken).contains("a", "b", "c");
        store.reachable(false);
        assertWaits(a);
        assertWaits(b);
        assertWaits(c);
        recover("a");
        time.pass(Duration.ofMillis(100));
        granted(a).close();
        pass(Duration.ofSeconds(10));
        woken.clear();

        assertRefused(b);

        assertThat(woken).containsExactly("c");
        assertThat(store.acquires)
                .last()
                .satisfies(asked -> assertThat(asked.waiting()).isFalse());
        assertThat(waiters("b")).isZero();
        granted(c).close();
    }

    @Test
    void question_whose_outcome_is_unknown_is_undone_and_asked_again_as_another_acquisition() {
        Steps a = waiting("a", A);
        releasedByOther("a");
        store.afterNextCallHere(() -> {
            throw StoreSpy.unreachable();
        });

        assertThat(proceed(a)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));

        assertThat(askedFor(A)).hasSize(2);
        OwnerId unknown = askedFor(A).get(1);
        Awaitility.await().until(() -> store.leaves.contains(unknown));
        time.pass(Duration.ofMillis(100));
        granted(a).close();
        assertThat(askedFor(A)).hasSize(3).last().isNotEqualTo(unknown);
    }

    @Test
    void question_that_was_refused_is_asked_again_as_the_same_acquisition() {
        Steps a = waiting("a", A);
        releasedByOther("a");
        store.beforeAcquire = () -> {
            throw new LockStoreException("LOADING (on purpose)", null, false);
        };

        assertWaits(a);
        store.beforeAcquire = () -> {};
        time.pass(Duration.ofMillis(100));
        granted(a).close();

        assertThat(askedFor(A)).hasSize(3).containsOnly(askedFor(A).get(0));
        assertThat(store.leaves).isEmpty();
    }

    @Test
    void outage_counts_from_the_first_question_that_failed() {
        Steps a = waiting("a", A);
        releasedByOther("a");
        store.reachable(false);
        assertWaits(a);
        for (int i = 0; i < 29; i++) {
            time.pass(Duration.ofSeconds(1));
            assertWaits(a);
        }
        time.pass(Duration.ofSeconds(1).minusNanos(1));
        assertWaits(a);
        time.pass(Duration.ofNanos(1));

        assertThatThrownBy(() -> proceed(a)).hasMessageContaining("did not recover in time");
    }

    @Test
    void first_question_that_fails_is_not_repeated() {
        store.reachable(false);
        Steps a = steps("a", A);

        assertThatThrownBy(() -> proceed(a)).isInstanceOf(LockStoreException.class);

        assertThat(askedFor(A)).hasSize(1);
    }

    @Test
    void who_tolerates_no_outage_fails_with_the_question() {
        Steps a = waiting("a", A.outageTolerance(Duration.ZERO));
        Steps next = steps("next", A);
        assertWaits(next);
        releasedByOther("a");
        store.reachable(false);
        woken.clear();

        assertThatThrownBy(() -> proceed(a)).hasMessageContaining("on purpose");

        assertThat(woken).containsOnly("next");
        recover("a");
        assertGrantedAfterRest(next);
    }

    @Test
    void interrupt_ends_a_question_in_an_outage_and_lets_the_next_one_in() {
        heldByOther("a");
        Steps a = interruptible("a", A);
        assertWaits(a);
        Steps next = steps("next", A);
        assertWaits(next);
        releasedByOther("a");
        store.reachable(false);
        assertWaits(a);
        time.pass(Duration.ofMillis(100));
        woken.clear();
        Thread.currentThread().interrupt();

        assertThatThrownBy(a::proceed).isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isFalse();
        assertThat(woken).containsExactly("next");
        recover("a");
        assertGrantedAfterRest(next);
    }

    @Test
    void interrupt_during_a_question_is_not_waited_on() {
        heldByOther("a");
        Steps a = interruptible("a", A);
        assertWaits(a);
        releasedByOther("a");
        store.afterNextCallHere(() -> {
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });

        assertThatThrownBy(a::proceed)
                .isInstanceOf(InterruptedException.class)
                .hasCauseInstanceOf(LockStoreException.class);

        assertThat(Thread.interrupted()).isFalse();
        assertThat(store.leaves).containsExactly(askedFor(A).get(1));
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void interrupt_while_the_store_is_known_to_fail_asks_nothing_and_leaves_in_the_background() {
        Steps a = waiting("a", A);
        Set<Thread> callers = ConcurrentHashMap.newKeySet();
        store.before = () -> {
            callers.add(Thread.currentThread());
            throw StoreSpy.unreachable();
        };
        pass(Duration.ofMillis(500));
        callers.clear();
        InterruptedException interrupt = new InterruptedException();

        assertThatThrownBy(() -> a.interrupt(interrupt)).isSameAs(interrupt);

        assertThat(callers).doesNotContain(Thread.currentThread());
        store.reachable(true);
        Awaitility.await().until(() -> waiters("a") == 0);
    }

    @Test
    void caller_that_stands_in_no_line_waits_on_once_it_has_queued() {
        Steps fair = waiting("fair", A.fair(true));
        releasedByOther("a");
        store.reachable(false);

        assertThat(proceed(fair)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));

        recover("a");
        time.pass(Duration.ofMillis(100));
        granted(fair).close();
    }

    @Test
    void caller_of_a_line_whose_front_was_answered_waits_on_though_it_never_asked_itself() {
        Steps front = waiting("front", A);
        Steps next = steps("next", A);
        assertWaits(next);
        releasedByOther("a");
        granted(front).close();
        store.reachable(false);

        assertThat(proceed(next)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));

        recover("a");
        time.pass(Duration.ofMillis(100));
        granted(next).close();
    }

    @Test
    void who_waits_for_the_store_after_a_grant_that_came_too_late_is_among_those_who_wait() {
        Steps late = steps("late", A.lease(Duration.ofMillis(200)));
        store.afterNextCallHere(() -> {
            time.pass(Duration.ofMillis(200));
            store.reachable(false);
        });

        assertThat(proceed(late)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));

        assertThat(locks.waiting()).hasSize(1);
    }

    @Test
    void grant_by_message_ends_the_failure_for_those_who_come_later() {
        Steps front = waiting("front", request("a"));
        store.reachable(false);
        pass(Duration.ofMillis(500));
        assertThat(woken).contains("front");
        store.reachable(true);
        releasedByOther("a");

        LockHandle held = granted(front);

        assertThat(store.acquires).hasSize(1);
        Steps next = steps("next", request("a"));
        next.lineUp();
        held.close();
        granted(next).close();
    }

    @Test
    void closed_client_wakes_all_who_wait_for_a_store_that_fails() {
        Steps a = waiting("a", A);
        Steps b = waiting("b", B);
        releasedInAnOutage("a", "b");
        assertWaits(a);
        assertThat(proceed(b)).isEqualTo(NOT_FIRST);
        time.pass(Duration.ofMillis(100));
        assertWaits(a); // has called again, as another acquisition
        woken.clear();

        locks.close();

        assertThat(woken).containsExactlyInAnyOrder("a", "b");
        assertThatThrownBy(a::proceed).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(b::proceed).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void who_is_interrupted_or_abandoned_in_an_outage_lets_the_next_one_ask() {
        Steps a = waiting("a", A);
        Steps b = waiting("b", B);
        Steps c = waiting("c", C);
        releasedInAnOutage("a", "b", "c");
        assertWaits(a);
        assertThat(proceed(b)).isEqualTo(NOT_FIRST);
        assertThat(proceed(c)).isEqualTo(NOT_FIRST);
        time.pass(Duration.ofMillis(100));
        store.reachable(true);
        woken.clear();

        assertThatThrownBy(() -> a.interrupt(new InterruptedException())).isInstanceOf(InterruptedException.class);
        assertThat(woken).containsExactly("b");
        b.abandon(new IllegalStateException("on purpose"));

        assertThat(woken).containsExactly("b", "c");
        granted(c).close();
    }

    @Test
    void interrupt_during_a_question_that_the_store_refused_cancels_nothing() {
        heldByOther("a");
        Steps a = interruptible("a", A);
        assertWaits(a);
        store.beforeAcquire = () -> {
            Thread.currentThread().interrupt();
            throw new LockStoreException("LOADING (on purpose)", null, false);
        };
        releasedByOther("a");

        assertThatThrownBy(a::proceed).isInstanceOf(InterruptedException.class);

        store.beforeAcquire = () -> {};
        assertThat(isFree("a")).isTrue();
        assertThat(store.acquire(store.acquires.get(0))).isInstanceOf(AcquireReply.Granted.class);
    }

    @Test
    void outage_counts_from_when_the_question_that_failed_was_sent() {
        Steps a = waiting("a", A);
        releasedByOther("a");
        store.beforeAcquire = () -> {
            time.pass(Duration.ofSeconds(4));
            throw new LockStoreException("LOADING (on purpose)", null, false);
        };
        assertWaits(a);
        store.beforeAcquire = () -> {};

        time.pass(TOLERANCE.minusSeconds(4));

        assertThatThrownBy(() -> proceed(a)).hasMessageContaining("did not recover in time");
    }

    @Test
    void outage_that_the_front_gives_up_on_counts_from_its_beginning_for_the_next_one() {
        Steps a = waiting("a", A.outageTolerance(Duration.ofSeconds(2)));
        Steps next = steps("next", A);
        assertWaits(next);
        store.reachable(false);
        pass(Duration.ofMillis(500));
        time.pass(Duration.ofSeconds(2));
        assertThatThrownBy(() -> proceed(a)).hasMessageContaining("did not recover in time");

        time.pass(TOLERANCE.minusSeconds(2));

        assertThatThrownBy(() -> proceed(next)).hasMessageContaining("did not recover in time");
    }

    @Test
    void acquisition_that_has_started_over_leaves_its_entry_to_the_next_one_in_line() {
        heldByOther("a");
        Steps a = interruptible("a", A);
        Steps next = steps("next", A);
        assertWaits(a);
        assertWaits(next);
        releasedByOther("a");
        store.afterNextCallHere(() -> {
            throw StoreSpy.unreachable();
        });
        assertWaits(a);
        Awaitility.await().until(() -> isFree("a"));
        heldByOther("a");
        time.pass(Duration.ofMillis(100));
        assertWaits(a);

        assertThatThrownBy(() -> a.interrupt(new InterruptedException())).isInstanceOf(InterruptedException.class);

        assertThat(waiters("a")).isOne();
        releasedByOther("a");
        granted(next).close();
    }

    /** Whenever its client learns of it: a caller that has time left is not refused by a store that answers. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void outage_that_is_noticed_too_late_is_no_refusal(int look) {
        AtomicInteger looks = new AtomicInteger(Integer.MAX_VALUE);
        AtomicReference<Runnable> noticing = new AtomicReference<>();
        Ticker ticker = () -> {
            if (looks.decrementAndGet() == 0) {
                noticing.get().run();
            }
            return time.nanos();
        };
        try (LockEngine engine = VirtualTime.builder(store).ticker(ticker).build()) {
            heldByOther("a");
            Steps a = engine.steps(
                    engine.each(A.outageTolerance(Duration.ofSeconds(2))),
                    Budget.of(ticker, WAIT.toNanos()),
                    Caller.task(() -> {}));
            assertWaits(a);
            OwnerId waiter = askedFor(A).get(0);
            store.reachable(false);
            time.pass(Duration.ofSeconds(1));
            VirtualTime.keepEntries(engine);
            store.reachable(true);
            store.leave(A.key(), waiter, Duration.ZERO, ReleaseRequest.NO_TOKEN);
            time.pass(Duration.ofSeconds(1));
            VirtualTime.keepEntries(engine);
            noticing.set(() -> {
                store.before = () -> {
                    time.pass(Duration.ofSeconds(3));
                    throw StoreSpy.unreachable();
                };
                time.pass(Duration.ofSeconds(1));
                VirtualTime.keepEntries(engine);
                store.before = () -> {};
            });
            looks.set(look);

            try {
                assertWaits(a);
            } catch (LockStoreException e) {
                assertThat(e).hasMessageContaining("did not recover in time");
            }
        }
    }
}
