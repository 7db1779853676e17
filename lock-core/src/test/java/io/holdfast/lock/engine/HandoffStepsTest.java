package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which locks are handed to the next caller in line without the store, and what is told of it. */
class HandoffStepsTest extends StepsFixture {

    private static final String KEY = "order:42";
    private static final Duration MILLI = Duration.ofMillis(1);

    private Steps next;

    /** The first of two callers has the lock, and nothing renews it. */
    private LockHandle heldBefore(LockRequest request) {
        onlyThisThreadCallsTheStore();
        Steps first = steps("first", request);
        first.lineUp();
        next = steps("next", request);
        assertWaits(next);
        LockHandle held = granted(first);
        store.acquires.clear();
        return held;
    }

    private void onlyThisThreadCallsTheStore() {
        Thread here = Thread.currentThread();
        store.before = () -> {
            if (Thread.currentThread() != here) {
                throw StoreSpy.unreachable();
            }
        };
    }

    /** The same by a message, which the first one notices late, and which nothing confirms. */
    private LockHandle heldByMessage(LockRequest request, Duration late) {
        heldByOther(KEY);
        onlyThisThreadCallsTheStore();
        Steps first = steps("first", request);
        first.lineUp();
        next = steps("next", request);
        assertWaits(next);
        assertWaits(first);
        releasedByOther(KEY);
        time.pass(late);
        store.acquires.clear();
        LockHandle held = granted(first);
        assertThat(store.acquires).isEmpty();
        return held;
    }

    private boolean isHandedOff(LockHandle held) {
        held.close();
        granted(next).close();
        boolean handoff = store.acquires.isEmpty();
        store.reachable(true);
        return handoff;
    }

    @Test
    void lease_of_which_exactly_half_is_left_is_handed_off() {
        LockRequest brief = REQUEST.lease(Duration.ofMillis(150));

        LockHandle held = heldBefore(brief);
        time.pass(Duration.ofMillis(75));
        assertThat(isHandedOff(held)).isTrue();

        LockHandle later = heldBefore(brief);
        time.pass(Duration.ofMillis(75).plusNanos(1));
        assertThat(isHandedOff(later)).isFalse();
    }

    @Test
    void grant_by_message_of_which_half_a_second_is_left_is_handed_off_though_that_is_not_half_a_lease() {
        LockRequest request = REQUEST.lease(Duration.ofSeconds(10));
        LockHandle early = heldByMessage(request, Duration.ZERO);
        Duration late = early.remaining().minusMillis(550);
        assertThat(late).isLessThan(Duration.ofSeconds(5));
        time.pass(MILLI);
        assertThat(isHandedOff(early)).isTrue();

        LockHandle held = heldByMessage(request, late);
        time.pass(Duration.ofMillis(50));
        assertThat(isHandedOff(held)).isTrue();

        LockHandle later = heldByMessage(request, late);
        time.pass(Duration.ofMillis(50).plusNanos(1));
        assertThat(isHandedOff(later)).isFalse();
    }

    /** A renewal that is under way may make it longer at the store than the next caller asked for. */
    @Test
    void lease_that_a_reentry_has_raised_is_not_handed_off() {
        onlyThisThreadCallsTheStore();
        Caller caller = Caller.task(() -> {});
        Steps first = steps(REQUEST, caller);
        first.lineUp();
        next = steps("next", REQUEST);
        assertWaits(next);
        LockHandle held = granted(first);
        granted(steps(REQUEST.lease(Duration.ofSeconds(30).plus(MILLI)), caller))
                .close();
        store.acquires.clear();

        time.pass(MILLI); // no more is left than the next caller would get
        assertThat(isHandedOff(held)).isFalse();
    }

    @Test
    void lease_that_was_extended_by_less_than_has_passed_is_handed_off() {
        LockHandle held = heldBefore(REQUEST);
        time.pass(MILLI);
        held.extend(Duration.ofSeconds(30));

        assertThat(isHandedOff(held)).isTrue();
    }

    @Test
    void handoff_is_told_as_a_release_and_an_acquisition() {
        LockHandle held = heldBefore(REQUEST);
        long first = held.fencingToken();
        events.clear();
        time.pass(MILLI);
        held.close();

        long second = granted(next).fencingToken();

        assertThat(events).hasSize(2);
        assertThat(events.get(0))
                .isInstanceOfSatisfying(
                        LockEvent.Released.class,
                        event -> assertThat(event.fencingToken()).isEqualTo(first));
        assertThat(events.get(1)).isInstanceOfSatisfying(LockEvent.Acquired.class, event -> {
            assertThat(event.fencingToken()).isEqualTo(second);
            assertThat(event.handoff()).isTrue();
        });
    }

    @Test
    void one_try_is_refused_by_the_caller_of_the_client_that_has_the_lock() {
        LockHandle held = granted(steps("holder", REQUEST));
        store.acquires.clear();
        Steps once = steps("once", REQUEST.waitFor(Duration.ZERO));

        assertRefused(once);

        var refused = (AcquireResult.Contended) once.result();
        assertThat(refused.holder().orElseThrow().fencingToken()).isEqualTo(held.fencingToken());
        assertThat(refused.hasWaited()).isFalse();
        assertThat(store.acquires).isEmpty();
    }

    @Test
    void wait_in_line_that_is_over_names_the_caller_of_the_client_that_has_the_lock() {
        LockHandle held = granted(steps("holder", REQUEST));
        Steps waiter = steps("waiter", REQUEST.waitFor(Duration.ofSeconds(1)));
        assertWaits(waiter);
        time.pass(Duration.ofSeconds(1));

        assertRefused(waiter);

        var refused = (AcquireResult.Contended) waiter.result();
        assertThat(refused.holder().orElseThrow().fencingToken()).isEqualTo(held.fencingToken());
        assertThat(refused.hasWaited()).isTrue();
    }

    @Test
    void caller_that_is_one_too_many_in_line_fails_and_leaves_the_line() {
        LockRequest single = REQUEST.maxWaiting(1);
        LockHandle held = granted(steps("holder", single));
        Steps first = steps("first", single);
        first.lineUp();
        events.clear();

        assertThatThrownBy(() -> steps("second", single).lineUp()).isInstanceOf(LockOverloadException.class);

        assertThat(events).singleElement().isInstanceOf(LockEvent.Failed.class);
        held.close();
        assertThat(woken).containsExactly("first");
        granted(first).close();
        assertThat(store.inspect(REQUEST.key()).holder()).isEmpty();
    }

    @Test
    void client_that_is_closed_during_the_call_gives_the_lock_back_and_says_why() {
        store.afterNextCallHere(locks::close);

        assertThatThrownBy(() -> proceed(steps("steps", REQUEST)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("client is closed");

        assertThat(isFree(KEY)).isTrue();
        assertThat(locks.locks().all()).isEmpty();
    }

    @Test
    void nothing_is_remembered_of_what_was_held_when_the_client_was_closed() {
        for (LockRequest request : List.of(REQUEST, request("another"))) {
            granted(steps("holder", request));
        }

        locks.close();

        assertThat(locks.locks().all()).isEmpty();
    }
}
