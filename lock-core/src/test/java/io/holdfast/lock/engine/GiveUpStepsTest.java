package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** An acquisition that is given up or abandoned between two steps lets the next one in and leaves nothing behind. */
class GiveUpStepsTest extends StepsFixture {

    private static final String KEY = "order:42";
    private static final LockRequest BOTH = LockRequest.ofAll(List.of("a", "b")).waitFor(WAIT);

    private final InterruptedException interrupt = new InterruptedException("on purpose");
    private final IllegalStateException broken = new IllegalStateException("broken (on purpose)");

    private Steps waiting(String name) {
        Steps steps = steps(name, REQUEST);
        assertWaits(steps);
        return steps;
    }

    private void assertInterrupted(Steps steps) {
        assertThatThrownBy(() -> steps.interrupt(interrupt)).isSameAs(interrupt);
        assertThat(events).hasAtLeastOneElementOfType(LockEvent.Failed.class);
    }

    private void abandon(Steps steps) {
        steps.abandon(broken);
        assertThat(events)
                .filteredOn(LockEvent.Failed.class::isInstance)
                .singleElement()
                .satisfies(event ->
                        assertThat(((LockEvent.Failed) event).failure()).isSameAs(broken));
    }

    /** The holder, and those in line behind it. */
    private LockHandle held() {
        return granted(steps("holder", REQUEST));
    }

    @Test
    void interrupt_in_line_leaves_the_line() {
        LockHandle held = held();
        Steps gone = waiting("gone");
        Steps next = waiting("next");

        assertInterrupted(gone);

        assertThat(locks.waiting()).hasSize(1);
        held.close();
        assertThat(woken).containsExactly("next");
        granted(next).close();
    }

    @Test
    void interrupt_that_comes_to_the_front_too_late_has_no_effect_until_the_next_step() throws InterruptedException {
        heldByOther(KEY);
        Steps front = waiting("front");
        Steps next = waiting("next");
        assertInterrupted(front);
        assertThat(woken).containsExactly("next");

        next.interrupt(interrupt);

        assertThat(waiters(KEY)).isOne();
        assertWaits(next);
        releasedByOther(KEY);
        granted(next).close();
    }

    @Test
    void interrupt_at_the_store_leaves_the_entry_to_the_next_one() {
        heldByOther(KEY);
        Steps front = waiting("front");
        Steps next = waiting("next");

        assertInterrupted(front);

        assertThat(waiters(KEY)).isOne();
        assertThat(store.leaves).isEmpty();
        releasedByOther(KEY);
        granted(next).close();
    }

    @Test
    void interrupt_at_the_store_gives_up_an_entry_that_nobody_wants() {
        heldByOther(KEY);

        assertInterrupted(waiting("alone"));

        assertThat(waiters(KEY)).isZero();
        assertThat(locks.waiting()).isEmpty();
    }

    @Test
    void interrupt_before_the_first_step_ends_it() {
        Steps steps = steps("steps", REQUEST);

        assertThatThrownBy(() -> steps.interrupt(interrupt)).isSameAs(interrupt);

        assertThat(store.acquires).isEmpty();
    }

    @Test
    void who_is_abandoned_in_line_leaves_the_line() {
        LockHandle held = held();
        Steps gone = waiting("gone");
        Steps next = waiting("next");

        abandon(gone);

        assertThat(locks.waiting()).hasSize(1);
        held.close();
        assertThat(woken).containsExactly("next");
        granted(next).close();
    }

    @Test
    void who_is_abandoned_at_the_front_lets_the_next_one_in() {
        heldByOther(KEY);
        Steps front = waiting("front");
        Steps gone = waiting("gone");
        Steps next = waiting("next");
        assertInterrupted(front);
        events.clear();
        woken.clear();

        abandon(gone);

        assertThat(woken).containsExactly("next");
        releasedByOther(KEY);
        Awaitility.await().until(() -> waiters(KEY) == 0 && isFree(KEY));
        granted(next).close();
    }

    @Test
    void who_is_abandoned_when_it_was_handed_the_lock_gives_it_back() {
        Steps first = steps("first", REQUEST);
        first.lineUp();
        Steps gone = waiting("gone");
        Steps next = waiting("next");
        LockHandle held = granted(first);
        time.pass(Duration.ofMillis(1));
        held.close();
        assertThat(woken).containsExactly("gone");
        assertThat(isFree(KEY)).isFalse();

        abandon(gone);

        assertThat(woken).containsExactly("gone", "next");
        Awaitility.await().until(() -> isFree(KEY));
        granted(next).close();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void who_is_abandoned_at_the_store_leaves_no_entry_and_lets_the_next_one_in() {
        heldByOther(KEY);
        Steps gone = waiting("gone");
        Steps next = waiting("next");

        abandon(gone);

        assertThat(woken).containsExactly("next");
        Awaitility.await().until(() -> waiters(KEY) == 0);
        assertWaits(next);
        assertThat(waiters(KEY)).isOne();
        releasedByOther(KEY);
        granted(next).close();
    }

    @Test
    void several_locks_are_given_back_by_an_interrupt_while_one_is_waited_for() {
        heldByOther("b");
        Steps both = steps("both", BOTH);
        assertWaits(both);
        assertThat(isFree("a")).isFalse();

        assertInterrupted(both);

        assertThat(isFree("a")).isTrue();
        assertThat(waiters("b")).isZero();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void several_locks_are_given_back_when_they_are_abandoned_while_one_is_waited_for() {
        heldByOther("b");
        Steps both = steps("both", BOTH);
        assertWaits(both);

        abandon(both);

        assertThat(isFree("a")).isTrue();
        Awaitility.await().until(() -> waiters("b") == 0);
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void several_locks_are_given_back_when_one_of_them_is_refused() {
        heldByOther("b");
        Steps both = steps("both", BOTH.waitFor(Duration.ofSeconds(1)));
        assertWaits(both);
        pass(Duration.ofSeconds(1));

        assertRefused(both);

        assertThat(isFree("a")).isTrue();
    }

    @Test
    void several_locks_that_were_not_begun_end_without_anything() {
        Steps both = steps("both", BOTH);

        assertThatThrownBy(() -> both.interrupt(interrupt)).isSameAs(interrupt);
        both.abandon(broken);

        assertThat(store.acquires).isEmpty();
    }

    @Test
    void interrupt_while_a_connection_is_waited_for_has_nothing_to_give_up() {
        store.beforeAcquire = () -> {
            throw new LockStoreException(
                    "in use (on purpose)", new ConnectionsInUseException(new IllegalStateException()), false);
        };

        assertInterrupted(waiting("waiter"));

        assertThat(store.leaves).isEmpty();
    }

    /** The store has said nothing that concerns the callers behind it. */
    @Test
    void grant_that_came_too_late_for_one_ends_no_wait_of_others() {
        Steps first = steps(
                "first", LockRequest.of(KEY).waitFor(Duration.ofMillis(100)).lease(Duration.ofSeconds(1)));
        first.lineUp();
        Steps next = steps("next", REQUEST);
        assertWaits(next);
        store.afterNextCallHere(() -> time.pass(Duration.ofSeconds(2)));

        assertThatThrownBy(() -> proceed(first))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("its lease of 1 s had already expired when the reply arrived, after 2 s")
                .hasMessageContaining("use a longer lease");

        granted(next).close();
    }

    /** As on a quorum of which one server had a connection to spare. */
    private void busyOnce() {
        store.afterNextCallHere(() -> {
            throw new LockStoreException(
                    "in use (on purpose)",
                    new ConnectionsInUseException(new IllegalStateException("on purpose")),
                    true);
        });
    }

    private void assertUndone(OwnerId owner) {
        Awaitility.await().until(() -> store.leaves.contains(owner));
    }

    @Test
    void try_that_some_servers_may_have_granted_is_undone_before_the_next_one() {
        Steps steps = steps("busy", REQUEST);
        busyOnce();
        assertWaits(steps);
        OwnerId first = store.acquires.get(0).owner();

        time.pass(Duration.ofMillis(20));
        assertUndone(first);
        granted(steps).close();
        assertThat(store.acquires).extracting(AcquireRequest::owner).doesNotHaveDuplicates();
    }

    @Test
    void entry_of_a_try_that_some_servers_may_have_granted_is_left_to_nobody() {
        heldByOther(KEY);
        Steps first = steps("first", LockRequest.of(KEY).waitFor(Duration.ofMillis(100)));
        assertWaits(first);
        Steps next = steps("next", REQUEST);
        assertWaits(next);
        OwnerId owner = store.acquires.get(0).owner();
        time.pass(Duration.ofMillis(100));
        busyOnce();

        assertThatThrownBy(() -> proceed(first)).isInstanceOf(LockStoreException.class);

        assertUndone(owner);
        store.acquires.clear();
        assertWaits(next);
        assertThat(store.acquires).extracting(AcquireRequest::owner).hasSize(1).doesNotContain(owner);
    }

    /** Its entry would be given up and taken again. */
    @Test
    void try_during_which_the_time_is_over_is_the_last_one() {
        heldByOther(KEY);
        Steps steps = steps("late", LockRequest.of(KEY).waitFor(Duration.ofMillis(100)));
        store.afterNextCallHere(() -> time.pass(Duration.ofMillis(100)));

        assertRefused(steps);

        assertThat(store.acquires).hasSize(1);
    }

    /** The lock is held by another client, and the first send failed: the thread was interrupted meanwhile. */
    private Steps waitingAfterTwoSends(String name) {
        heldByOther(KEY);
        store.afterNextCallHere(() -> {
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });
        Steps steps = waiting(name);
        assertThat(Thread.interrupted()).isTrue();
        return steps;
    }

    @Test
    void acquisition_that_was_sent_twice_is_cancelled_and_leaves_its_entry_to_nobody() {
        Steps twice = waitingAfterTwoSends("twice");
        assertThat(store.acquires).hasSize(2);
        Steps next = waiting("next");

        assertInterrupted(twice);

        assertThat(waiters(KEY)).isZero();
        assertThat(store.acquire(store.acquires.get(0))).isInstanceOf(AcquireReply.Cancelled.class);
        assertThat(woken).containsExactly("next");
        assertWaits(next);
        assertThat(waiters(KEY)).isOne();
    }

    @Test
    void next_one_that_asks_at_once_does_not_ask_with_the_entry_that_is_being_given_up() {
        Steps twice = waitingAfterTwoSends("twice");
        AtomicReference<Steps> next = new AtomicReference<>();
        next.set(steps(REQUEST, Caller.task(() -> proceed(next.get()))));
        assertWaits(next.get());

        assertInterrupted(twice);

        assertThat(store.acquires).hasSize(3);
        assertThat(store.acquires.get(2).owner())
                .isNotEqualTo(store.acquires.get(0).owner());
        assertThat(waiters(KEY)).isOne();
        releasedByOther(KEY);
        granted(next.get()).close();
    }
}
