package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.Waiters;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who waits, in what order, and for how long somebody who is not heard of is waited for. */
abstract class QueueContract extends ContractFixture {

    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration BACK = Duration.ofHours(-1);

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
    void dead_entries_are_passed_over() {
        granted(alice);
        queue(bob, carol, dave);
        pass(LockStore.ENTRY_TIMEOUT);
        queue(erin);

        released(alice);

        assertThat(called(erin)).containsExactly(erin);
    }

    @Test
    void dead_entries_do_not_keep_newcomers_out() {
        acquire(alice, SHORT, false);
        queue(bob, carol, dave);

        pass(LockStore.ENTRY_TIMEOUT);

        granted(erin);
    }

    @Test
    void dead_entries_keep_nobody_out_for_longer_after_the_clock_went_back() {
        granted(alice);
        queue(bob, carol);
        queueShared(2, dave);
        pass(BACK);

        released(alice);
        reservedForAnother(acquire(erin, LEASE, true));
        lapse(erin);

        assertThat(called(erin)).containsExactly(erin);
        assertThat(holders()).containsExactly(erin.clientId());
    }

    @Test
    void whoever_is_heard_of_before_and_after_shows_that_the_clock_went_back() {
        granted(alice);
        queue(bob);
        pass(HALF_ENTRY_TIMEOUT);
        queue(carol, dave);
        pass(HALF_ENTRY_TIMEOUT.negated());
        keepEntries(carol);

        lapse(carol);

        released(alice);
        assertThat(called(carol)).containsExactly(carol);
        assertThat(store().inspect(key).waiters()).isZero();
    }

    @Test
    void entries_that_are_kept_after_the_clock_went_back_stay_in_their_places() {
        granted(alice);
        queue(bob, carol);
        pass(BACK);

        released(alice);
        lapse(carol);

        assertThat(called(carol)).containsExactly(carol);
        assertThat(holders()).containsExactly(carol.clientId());
    }

    @Test
    void reservation_ends_in_time_after_the_clock_went_back() {
        granted(alice);
        queue(bob, carol);
        released(alice);
        keepEntries(bob);
        pass(BACK);

        reservedForAnother(tryOnce(dave));
        lapse(carol);

        assertThat(called(carol)).containsExactly(carol);
        assertThat(holders()).containsExactly(carol.clientId());
    }

    @Test
    void reserved_permits_come_back_in_time_after_the_clock_went_back() {
        shared(alice, 2);
        shared(bob, 2);
        queueShared(2, carol, dave);
        released(bob);
        pass(BACK);

        refused(tryShared(erin, 2));
        lapse(dave);

        assertThat(called(dave)).containsExactly(dave);
        assertThat(holders()).containsExactlyInAnyOrder(alice.clientId(), dave.clientId());
    }

    @Test
    void hold_is_not_shortened_by_a_clock_that_went_back() {
        granted(alice);
        queue(bob);
        pass(BACK);
        called(bob);

        pass(MOST_OF_LEASE);

        assertThat(held(tryOnce(carol)).clientId()).isEqualTo(alice.clientId());
    }

    @Test
    void dead_entries_behind_a_living_one_are_found_after_the_clock_went_back() {
        granted(alice);
        queue(bob, carol, dave);
        pass(BACK);
        keepEntries(bob);

        queue(erin);
        lapse(bob, erin);
        queue(next(erin), next(bob), next(dave));

        assertThat(store().inspect(key).waiters()).isEqualTo(5);
        leave(bob);
        released(alice);
        assertThat(holders()).containsExactly(erin.clientId());
    }

    @Test
    void several_waiters_that_died_hold_up_the_next_no_longer_than_one() {
        granted(alice);
        queue(bob, carol, dave);
        pass(Duration.ofSeconds(2));
        assertThat(called(dave)).isEmpty();
        released(alice);

        pass(LockStore.ENTRY_TIMEOUT.minusSeconds(2));

        granted(dave);
    }

    @Test
    void entries_that_are_kept_stay_alive_in_their_order() {
        granted(alice);
        queue(bob, carol);
        for (int i = 0; i < 3; i++) {
            pass(HALF_ENTRY_TIMEOUT);
            assertThat(called(carol, bob)).isEmpty();
        }

        released(alice);

        assertThat(called(carol, bob)).containsExactly(bob);
    }

    @Test
    void waiter_that_asks_again_keeps_its_entry_alive() {
        granted(alice);
        queue(bob);
        pass(HALF_ENTRY_TIMEOUT);
        queue(bob);
        pass(HALF_ENTRY_TIMEOUT);

        released(alice);

        reservedForAnother(tryOnce(carol));
    }

    @Test
    void waiter_that_was_not_missed_keeps_its_place() {
        granted(alice);
        queue(bob);
        pass(HALF_ENTRY_TIMEOUT);
        queue(carol);
        pass(HALF_ENTRY_TIMEOUT);
        queue(bob);

        released(alice);

        assertThat(called(carol, bob)).containsExactly(bob);
    }

    @Test
    void lock_is_free_after_the_last_dead_entry_was_found() {
        acquire(alice, SHORT, false);
        queue(bob);
        pass(LockStore.ENTRY_TIMEOUT);

        keepEntries(carol);

        assertThat(waiters(tryOnce(dave))).isEqualTo(Waiters.NONE);
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
    void owners_without_an_entry_are_called_and_get_none() {
        granted(alice);
        queue(bob);

        assertThat(called(bob, carol)).containsExactly(carol);

        assertThat(store().inspect(key).waiters()).isEqualTo(1);
    }

    @Test
    void owner_that_holds_the_lock_is_called() {
        granted(alice);

        assertThat(called(alice)).containsExactly(alice);
    }

    @Test
    void keeping_entries_finds_that_a_lease_has_ended() {
        acquire(alice, SHORT, false);
        queue(bob, carol);
        assertThat(called(bob, carol)).isEmpty();

        pass(SHORT);

        assertThat(called(carol, bob)).containsExactly(bob);
    }

    @Test
    void kept_entries_are_answered_lock_by_lock_in_their_order() {
        granted(alice);
        queue(bob);
        LockKey other = LockKey.of(key + ":other");

        List<EntryReply> replies = store().keepEntries(
                        List.of(new EntryRequest(other, List.of(carol)), new EntryRequest(key, List.of(bob))));

        assertThat(replies)
                .extracting(reply -> ((EntryReply.Kept) reply).called())
                .containsExactly(List.of(carol), List.of());
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
