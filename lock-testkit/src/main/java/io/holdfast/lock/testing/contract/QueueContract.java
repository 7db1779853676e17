package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockWaiter;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.Waiters;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who waits, in what order, and for how long others wait for a caller that has gone silent. */
abstract class QueueContract extends ContractFixture {

    private static final Duration SHORT = Duration.ofSeconds(2);

    QueueContract(StoreUnderTest subject) {
        super(subject);
    }

    @Test
    void weight_is_given_back_whichever_way_a_hold_ends() {
        granted(tryWeighted(alice, 3, 3, false));
        pass(LEASE);
        granted(tryWeighted(bob, 3, 3, false));
        leave(bob);
        granted(tryWeighted(carol, 3, 3, false));
        store().forceRelease(key, EnumSet.of(LockMode.SHARED));

        shared(alice, 3);
        granted(tryWeighted(bob, 3, 2, false));
        refused(tryShared(carol, 3));
    }

    @Test
    void heavy_waiter_is_not_passed_and_gets_the_lock_when_there_is_room_for_all_of_it() {
        granted(tryWeighted(alice, 3, 1, false));
        shared(bob, 3);
        refused(tryWeighted(carol, 3, 3, true));

        refused(tryShared(dave, 3));
        released(alice);
        refused(tryWeighted(carol, 3, 3, true));
        released(bob);

        granted(tryWeighted(carol, 3, 3, true));
        refused(tryShared(dave, 3));
    }

    @Test
    void lock_that_somebody_waits_for_is_renewed_by_its_holder_only() {
        granted(alice);
        queue(bob);

        assertThat(renew(bob, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
        assertThat(renew(carol, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.Renewed.class);
    }

    @Test
    void waiters_are_counted_until_they_leave() {
        granted(alice);

        acquire(bob, LEASE, true);
        acquire(bob, LEASE, true);
        acquire(next(alice), LEASE, true);
        assertThat(store().inspect(key).waiters()).isEqualTo(2);

        store().leave(key, next(alice), Duration.ZERO, ReleaseRequest.ALL_TOKENS);
        assertThat(store().inspect(key).waiters()).isEqualTo(1);
    }

    @Test
    void refused_caller_in_the_queue_learns_how_many_are_in_it() {
        granted(alice);

        assertThat(queued(acquire(bob, LEASE, true))).isEqualTo(1);
        assertThat(queued(acquire(carol, LEASE, 3, true))).isEqualTo(2);
        assertThat(queued(acquire(dave, LEASE, false))).isZero();
        assertThat(queued(acquire(bob, LEASE, true))).isEqualTo(2);
        assertThat(queued(acquire(bob, LEASE, false))).isZero();
        assertThat(queued(acquire(carol, LEASE, 3, true))).isEqualTo(1);
    }

    private static int queued(AcquireReply reply) {
        return ((AcquireReply.Held) reply).queued();
    }

    /** A thread that gives up leaves its place to the next thread of its client. */
    @ParameterizedTest
    @ValueSource(ints = {EXCLUSIVE, 3})
    void place_in_the_queue_shows_the_thread_that_asked_last_and_so_does_the_lock_that_it_gets(int limit) {
        granted(alice);
        refused(acquire(bob, LEASE, limit, true));
        HolderInfo next = new HolderInfo("web-1", 4711, "worker-2", TRACEPARENT);
        refused(store().acquire(
                        new AcquireRequest(key, bob, LEASE.toMillis(), next, limit, 1, false, true, 1, 0, false)));

        assertThat(store().inspect(key).queue()).extracting(LockWaiter::thread).containsExactly("worker-2");
        released(alice);
        assertThat(store().inspect(key).holder().orElseThrow()).satisfies(holder -> {
            assertThat(holder.thread()).isEqualTo("worker-2");
            assertThat(holder.traceparent()).contains(TRACEPARENT);
        });
    }

    @Test
    void waiter_is_not_counted_after_its_last_try() {
        granted(alice);
        acquire(bob, LEASE, true);

        acquire(bob, LEASE, false);

        assertThat(store().inspect(key).waiters()).isZero();
    }

    @Test
    void waiter_is_not_counted_once_it_holds_the_lock() {
        granted(alice);
        acquire(bob, LEASE, true);
        release(alice);

        granted(acquire(bob, LEASE, true));

        assertThat(store().inspect(key).waiters()).isZero();
    }

    @Test
    void waiter_is_not_counted_once_its_last_try_got_the_lock() {
        granted(alice);
        acquire(bob, LEASE, true);
        release(alice);

        granted(acquire(bob, LEASE, false));

        assertThat(store().inspect(key).waiters()).isZero();
    }

    @Test
    void waiter_that_does_not_ask_any_more_is_not_counted() {
        granted(alice);
        acquire(bob, LEASE, true);

        pass(LockStore.ENTRY_TIMEOUT);

        assertThat(store().inspect(key).waiters()).isZero();
    }

    @Test
    void lock_is_granted_in_the_order_of_arrival() {
        granted(alice);
        queue(bob, carol, dave);

        released(alice);
        assertThat(called(bob, carol, dave)).containsExactly(bob);
        granted(bob);
        released(bob);
        assertThat(called(carol, dave)).containsExactly(carol);
        granted(carol);
        released(carol);
        granted(dave);
    }

    @Test
    void waiter_that_asks_again_keeps_its_place() {
        granted(alice);
        queue(bob, carol, bob);

        released(alice);

        reservedForAnother(tryOnce(carol));
        granted(bob);
    }

    @Test
    void lock_whose_lease_ended_goes_to_the_first_waiter_and_not_to_a_newcomer() {
        acquire(alice, SHORT, false);
        queue(bob);

        pass(SHORT);

        reservedForAnother(tryOnce(carol));
        granted(bob);
    }

    @Test
    void former_holder_does_not_pass_a_waiter() {
        acquire(alice, SHORT, false);
        queue(bob);
        pass(SHORT);

        reservedForAnother(tryOnce(alice));

        granted(bob);
    }

    @Test
    void holder_whose_acquire_is_sent_twice_is_granted_again_though_others_wait() {
        long token = granted(alice);
        queue(bob);

        assertThat(granted(alice)).isEqualTo(token);
    }

    @Test
    void last_try_gives_the_entry_up() {
        granted(alice);
        queue(bob, carol);

        held(tryOnce(bob));

        released(alice);
        reservedForAnother(acquire(bob, LEASE, true));
        granted(carol);
    }

    @Test
    void waiter_that_leaves_gives_its_entry_up() {
        granted(alice);
        queue(bob, carol);
        leave(bob);

        released(alice);

        granted(carol);
    }

    @Test
    void lock_is_free_after_all_waiters_were_served() {
        granted(alice);
        queue(bob, carol);
        for (OwnerId next : List.of(alice, bob, carol)) {
            granted(next);
            released(next);
        }

        assertThat(waiters(tryOnce(dave))).isEqualTo(Waiters.NONE);
    }

    @Test
    void waiters_are_told_when_the_lease_ends() {
        acquire(alice, Duration.ofSeconds(10), false);

        AcquireReply.Held reply = refused(acquire(bob, LEASE, true));

        assertThat(reply.blockedFor()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
        assertThat(keepEntries(bob).blockedFor()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
    }

    @Test
    void grant_says_who_else_waits() {
        assertThat(waiters(tryOnce(alice))).isEqualTo(Waiters.NONE);
        queue(bob);
        assertThat(waiters(tryOnce(alice))).isEqualTo(Waiters.UNFAIR);
        queueFair(carol);
        assertThat(waiters(tryOnce(alice))).isEqualTo(Waiters.FAIR);

        released(alice);
        assertThat(waiters(tryOnce(bob))).isEqualTo(Waiters.FAIR);
        released(bob);
        assertThat(waiters(tryOnce(carol))).isEqualTo(Waiters.NONE);
    }

    @Test
    void grant_says_that_nobody_fair_waits_any_more() {
        granted(alice);
        queue(bob);
        queueFair(carol);
        queueFair(dave);

        leave(dave);
        assertThat(waiters(tryOnce(alice))).isEqualTo(Waiters.FAIR);
        leave(carol);
        assertThat(waiters(tryOnce(alice))).isEqualTo(Waiters.UNFAIR);
        leave(bob);
        assertThat(waiters(tryOnce(alice))).isEqualTo(Waiters.NONE);
    }

    @Test
    void fair_waiter_whose_reservation_lapsed_is_waiting_again() {
        granted(alice);
        queueFair(bob);
        queue(carol);
        released(alice);
        assertThat(waiters(tryOnce(bob))).isEqualTo(Waiters.UNFAIR);
        released(bob);
        queueFair(next(bob));
        released(carol);
        queue(dave);
        lapse(next(bob), dave);

        assertThat(called(dave, next(bob))).containsExactly(dave);

        assertThat(waiters(tryOnce(dave))).isEqualTo(Waiters.FAIR);
    }

    @Test
    void cancelled_owner_gets_no_entry() {
        granted(alice);
        store().leave(key, bob, LEASE, ReleaseRequest.ALL_TOKENS);

        assertThat(acquire(bob, LEASE, true)).isInstanceOf(AcquireReply.Cancelled.class);

        assertThat(store().inspect(key).waiters()).isZero();
    }

    @Test
    void waiter_that_is_cancelled_loses_its_entry() {
        granted(alice);
        queue(bob, carol);

        store().leave(key, bob, LEASE, ReleaseRequest.ALL_TOKENS);

        assertThat(store().inspect(key).waiters()).isEqualTo(1);
        released(alice);
        granted(carol);
    }

    @Test
    void undone_hold_passes_to_the_first_waiter() {
        granted(alice);
        queue(bob);

        store().leave(key, alice, LEASE, ReleaseRequest.ALL_TOKENS);

        reservedForAnother(tryOnce(carol));
        granted(bob);
    }

    @Test
    void forced_release_hands_the_lock_to_the_first_waiter() {
        granted(alice);
        queue(bob, carol);

        store().forceRelease(key);

        reservedForAnother(tryOnce(dave));
        assertThat(called(carol, bob)).containsExactly(bob);
        granted(bob);
    }

    @Test
    void lock_kept_for_a_minimum_time_goes_to_the_first_waiter_after_it() {
        granted(alice);
        queue(bob);
        releaseLater(alice, SHORT);
        assertThat(called(bob)).isEmpty();
        held(acquire(bob, LEASE, true));

        pass(SHORT);

        assertThat(called(bob)).containsExactly(bob);
        reservedForAnother(tryOnce(carol));
        granted(bob);
    }
}
