package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.ReleaseRequest;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** When an acquisition asks the store, for how long it waits, and what it uses of what it hears. */
class AcquisitionStepsTest extends StepsFixture {

    private static final String KEY = "order:42";
    private static final Duration NANO = Duration.ofNanos(1);

    /** Of a grant by message, of which so much must be left that it is used without asking. */
    private static final Duration ENOUGH = Duration.ofMillis(500);

    private void connectionsAreInUse() {
        store.beforeAcquire = () -> {
            throw new LockStoreException(
                    "All connections are in use (on purpose)",
                    new ConnectionsInUseException(new IllegalStateException("on purpose")),
                    false);
        };
    }

    @Test
    void result_is_not_known_before_the_end() {
        heldByOther(KEY);
        Steps waiter = steps("waiter", REQUEST);
        assertThatThrownBy(waiter::result).isInstanceOf(NullPointerException.class);
        assertWaits(waiter);
        assertThatThrownBy(waiter::result).isInstanceOf(NullPointerException.class);
    }

    @Test
    void waiter_asks_once_and_waits_for_as_long_as_it_may() {
        heldByOther(KEY);
        Steps waiter = steps("waiter", REQUEST);

        assertThat(proceed(waiter)).isEqualTo(WAIT);
        pass(Duration.ofSeconds(4));
        assertThat(proceed(waiter)).isEqualTo(WAIT.minusSeconds(4));

        assertThat(store.acquires).hasSize(1);
        assertThat(locks.waiting()).hasSize(1);
    }

    @Test
    void grant_by_message_is_used_without_asking_again() {
        LockHandle handle = grantedByMessage(REQUEST, Duration.ZERO);

        assertThat(store.acquires).hasSize(1);
        assertThat(handle.isHeld()).isTrue();
        assertThat(locks.waiting()).isEmpty();
        pass(Duration.ofSeconds(2));
        assertThat(store.polls).isEmpty();
        handle.close();
        assertThat(isFree(KEY)).isTrue();
    }

    /** It takes its next step some time after the message. */
    private LockHandle grantedByMessage(LockRequest request, Duration late) {
        heldByOther(KEY);
        Steps waiter = steps("waiter", request);
        assertWaits(waiter);
        releasedByOther(KEY);
        assertThat(woken).contains("waiter");
        time.pass(late);
        return granted(waiter);
    }

    @Test
    void grant_by_message_of_which_half_a_second_is_left_is_used_without_asking_again() {
        LockHandle first = grantedByMessage(REQUEST, Duration.ZERO);
        Duration whole = first.remaining();
        first.close();

        grantedByMessage(REQUEST, whole.minus(ENOUGH)).close();
        assertThat(store.acquires).hasSize(1);

        grantedByMessage(REQUEST, whole.minus(ENOUGH).plus(NANO)).close();
        assertThat(store.acquires).hasSize(2);
    }

    @Test
    void grant_by_message_is_confirmed_first_if_the_lease_is_not_to_be_renewed() {
        grantedByMessage(REQUEST.renew(false), Duration.ZERO).close();

        assertThat(store.acquires).hasSize(2);
    }

    @Test
    void grant_by_message_is_confirmed_first_if_it_is_to_be_held_for_a_minimum_time() {
        grantedByMessage(REQUEST.minHold(Duration.ofMillis(1)), Duration.ZERO).close();

        assertThat(store.acquires).hasSize(2);
    }

    @Test
    void grant_that_arrives_with_its_deadline_is_undone_and_one_that_arrives_before_it_is_used() {
        LockRequest brief = REQUEST.lease(Duration.ofMillis(200)).renew(false); // the watchdog would renew it at once
        store.afterNextCallHere(() -> time.pass(Duration.ofMillis(200).minus(NANO)));
        LockHandle handle = granted(steps("in time", brief));
        assertThat(handle.remaining()).isEqualTo(NANO);
        assertThat(store.acquires).hasSize(1);
        handle.close();

        store.afterNextCallHere(() -> time.pass(Duration.ofMillis(200)));
        granted(steps("late", brief)).close();

        assertThat(store.acquires).hasSize(3);
        assertThat(store.acquires.get(2).owner())
                .isNotEqualTo(store.acquires.get(1).owner());
        Awaitility.await()
                .untilAsserted(() -> assertThat(store.leaves)
                        .containsExactly(store.acquires.get(1).owner()));
    }

    @Test
    void grant_that_arrives_after_its_deadline_with_the_budget_spent_lets_the_next_one_in() {
        LockRequest brief = REQUEST.lease(Duration.ofMillis(200)).waitFor(Duration.ofMillis(100));
        Steps late = steps("late", brief);
        Steps next = steps("next", REQUEST);
        late.lineUp();
        assertWaits(next);
        store.afterNextCallHere(() -> time.pass(Duration.ofMillis(200)));

        assertThatThrownBy(() -> proceed(late))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("expired");

        assertThat(woken).contains("next");
        Awaitility.await().until(() -> isFree(KEY));
        granted(next).close();
    }

    @Test
    void connection_is_waited_for_20_ms_as_often_as_there_is_none() {
        connectionsAreInUse();
        Steps waiter = steps("waiter", REQUEST);
        for (int asked = 1; asked <= 3; asked++) {
            assertThat(proceed(waiter)).isEqualTo(Duration.ofMillis(20));
            assertThat(store.acquires).hasSize(asked);
            assertThat(proceed(waiter)).isEqualTo(Duration.ofMillis(20));
            time.pass(Duration.ofMillis(20));
        }
        assertThat(locks.waiting()).hasSize(1);

        store.beforeAcquire = () -> {};

        granted(waiter).close();
        assertThat(store.leaves).isEmpty();
    }

    @Test
    void connection_is_not_waited_for_when_the_budget_is_spent() {
        connectionsAreInUse();
        Steps waiter = steps("waiter", REQUEST.waitFor(Duration.ofMillis(30)));
        assertWaits(waiter);
        time.pass(Duration.ofMillis(20));
        assertThat(proceed(waiter)).isEqualTo(Duration.ofMillis(10));
        time.pass(Duration.ofMillis(10));

        assertThatThrownBy(() -> proceed(waiter)).isInstanceOf(LockStoreException.class);

        assertThat(store.acquires).hasSize(3);
        assertThat(locks.waiting()).isEmpty();
    }

    @Test
    void waiter_that_is_one_too_many_leaves_no_entry() {
        heldByOther(KEY);
        LockRequest single = REQUEST.fair(true).maxWaiting(1);
        Steps first = steps("first", single);
        assertWaits(first);

        assertThatThrownBy(() -> proceed(steps("second", single))).isInstanceOf(LockOverloadException.class);

        assertThat(waiters(KEY)).isOne();
        assertThat(locks.waiting()).hasSize(1);
        assertThat(events).hasAtLeastOneElementOfType(LockEvent.Failed.class);
        releasedByOther(KEY);
        granted(first).close();
    }

    @Test
    void last_question_wants_no_entry_unless_others_stand_in_line() {
        heldByOther(KEY);
        LockRequest brief = REQUEST.waitFor(Duration.ofSeconds(1));
        Steps alone = steps("alone", brief);
        assertWaits(alone);
        pass(Duration.ofSeconds(1));
        assertRefused(alone);
        assertThat(store.acquires.get(1).waiting()).isFalse();
        assertThat(waiters(KEY)).isZero();
        assertThat(store.leaves).isEmpty();

        Steps front = steps("front", brief);
        Steps behind = steps("behind", REQUEST);
        assertWaits(front);
        assertWaits(behind);
        pass(Duration.ofSeconds(1));
        assertRefused(front);

        assertThat(store.acquires.get(3).waiting()).isTrue();
        assertThat(waiters(KEY)).isOne();
        releasedByOther(KEY);
        assertThat(woken).contains("behind");
        granted(behind).close();
        assertThat(store.acquires)
                .last()
                .satisfies(request -> assertThat(request.owner())
                        .isEqualTo(store.acquires.get(2).owner()));
    }

    @Test
    void acquisition_that_was_cancelled_continues_as_another_one() {
        Steps waiter = cancelled(WAIT);

        assertWaits(waiter);

        assertThat(store.acquires).hasSize(3);
        assertThat(store.acquires.get(2).owner())
                .isNotEqualTo(store.acquires.get(1).owner());
        assertThat(waiters(KEY)).isOne();
    }

    @Test
    void acquisition_that_was_cancelled_and_has_no_time_left_says_so() {
        Steps waiter = cancelled(Duration.ofSeconds(1));
        time.pass(Duration.ofSeconds(1));

        assertThatThrownBy(() -> proceed(waiter))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("already been cancelled");
    }

    /** A waiter that has been called, and whose acquisition the store has cancelled. */
    private Steps cancelled(Duration waitFor) {
        heldByOther(KEY);
        Steps waiter = steps("waiter", REQUEST.waitFor(waitFor));
        assertWaits(waiter);
        AcquireRequest asked = store.acquires.get(0);
        store.leave(asked.key(), asked.owner(), Duration.ofMinutes(1), ReleaseRequest.NO_TOKEN);
        pass(Duration.ofMillis(500));
        assertThat(woken).contains("waiter");
        return waiter;
    }

    @Test
    void who_has_asked_before_asks_once_more_however_late_it_comes() {
        heldByOther(KEY);
        Steps waiter = steps("waiter", REQUEST.waitFor(Duration.ofSeconds(1)));
        assertWaits(waiter);
        time.pass(Duration.ofSeconds(3));

        assertRefused(waiter);

        assertThat(store.acquires).hasSize(2);
    }

    @Test
    void who_has_never_asked_asks_half_a_second_after_its_time_and_no_later() {
        heldByOther(KEY);
        Steps late = steps("late", REQUEST.waitFor(Duration.ofSeconds(1)));
        Steps later = steps("later", REQUEST.waitFor(Duration.ofSeconds(1)));
        time.pass(Duration.ofMillis(1500));
        assertRefused(late);
        assertThat(store.acquires).hasSize(1);

        time.pass(NANO);
        assertThatThrownBy(() -> proceed(later)).isInstanceOf(LockOverloadException.class);

        assertThat(store.acquires).hasSize(1);
    }

    @Test
    void who_has_waited_for_a_connection_waits_for_the_lock_as_everybody_else() {
        heldByOther(KEY);
        connectionsAreInUse();
        Steps waiter = steps("waiter", REQUEST);
        assertWaits(waiter);
        time.pass(Duration.ofMillis(20));
        store.beforeAcquire = () -> {};

        assertThat(proceed(waiter)).isEqualTo(WAIT.minusMillis(20));

        assertThat(store.acquires).hasSize(2);
    }

    @Test
    void caller_behind_one_that_found_all_connections_in_use_has_its_own_budget() {
        connectionsAreInUse();
        Steps impatient = steps("impatient", REQUEST.waitFor(Duration.ZERO));
        Steps patient = steps("patient", REQUEST);
        impatient.lineUp();
        patient.lineUp();

        assertThatThrownBy(() -> proceed(impatient)).isInstanceOf(LockStoreException.class);

        assertThat(woken).containsExactly("patient");
        assertThat(proceed(patient)).isEqualTo(Duration.ofMillis(20));
        time.pass(Duration.ofMillis(20));
        store.beforeAcquire = () -> {};
        granted(patient).close();
    }

    @Test
    void caller_behind_one_that_found_all_connections_in_use_continues_with_its_entry() {
        heldByOther(KEY);
        Steps impatient = steps("impatient", REQUEST.waitFor(Duration.ofSeconds(1)));
        Steps patient = steps("patient", REQUEST.outageTolerance(Duration.ZERO));
        assertWaits(impatient);
        assertWaits(patient);
        connectionsAreInUse();
        pass(Duration.ofSeconds(1));

        assertThatThrownBy(() -> proceed(impatient)).isInstanceOf(LockStoreException.class);

        assertThat(waiters(KEY)).isOne();
        assertWaits(patient);
        time.pass(Duration.ofMillis(20));
        store.beforeAcquire = () -> {};
        assertWaits(patient);
        assertThat(waiters(KEY)).isOne();
        assertThat(store.acquires.get(store.acquires.size() - 1).owner())
                .isEqualTo(store.acquires.get(0).owner());
    }

    @Test
    void entry_of_a_last_try_that_found_all_connections_in_use_is_given_up() {
        heldByOther(KEY);
        Steps alone = steps("alone", REQUEST.waitFor(Duration.ofSeconds(1)));
        assertWaits(alone);
        connectionsAreInUse();
        pass(Duration.ofSeconds(1));

        assertThatThrownBy(() -> proceed(alone)).isInstanceOf(LockStoreException.class);

        Awaitility.await().until(() -> waiters(KEY) == 0);
    }

    @Test
    void block_of_tokens_is_reserved_for_those_in_line_only() {
        granted(steps("alone", REQUEST)).close();
        Steps front = steps("front", REQUEST);
        Steps behind = steps("behind", REQUEST);
        front.lineUp();
        behind.lineUp();

        granted(front).close();

        assertThat(store.acquires).extracting(AcquireRequest::tokens).containsExactly(1L, 100_000L);
        granted(behind).close();
    }

    @Test
    void entry_that_was_inherited_is_given_up_at_the_store() throws InterruptedException {
        heldByOther(KEY);
        Steps front = interruptible("front", REQUEST);
        Steps behind = interruptible("behind", REQUEST);
        assertWaits(front);
        assertWaits(behind);
        assertThatThrownBy(() -> front.interrupt(new InterruptedException())).isInstanceOf(InterruptedException.class);
        assertThat(waiters(KEY)).isOne();
        Thread.currentThread().interrupt();

        assertThatThrownBy(behind::proceed).isInstanceOf(InterruptedException.class);

        assertThat(store.acquires).hasSize(1);
        assertThat(waiters(KEY)).isZero();
    }

    @Test
    void caller_that_has_left_its_entry_to_another_is_not_woken() {
        heldByOther(KEY);
        Steps front = interruptible("front", REQUEST);
        Steps behind = steps("behind", REQUEST);
        assertWaits(front);
        assertWaits(behind);
        assertThatThrownBy(() -> front.interrupt(new InterruptedException())).isInstanceOf(InterruptedException.class);
        woken.clear();

        releasedByOther(KEY);

        assertThat(woken).doesNotContain("front");
        granted(behind).close();
    }
}
