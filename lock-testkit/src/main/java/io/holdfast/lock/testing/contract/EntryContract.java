package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Waiters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which entries of a queue are alive, and how they are kept alive. */
abstract class EntryContract extends ContractFixture {

    private static final Duration SHORT = Duration.ofSeconds(2);

    EntryContract(StoreUnderTest subject) {
        super(subject);
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

        List<EntryReply> replies = store().keepEntries(List.of(
                new EntryRequest(other, List.of(carol), Map.of()), new EntryRequest(key, List.of(bob), Map.of())));

        assertThat(replies)
                .extracting(reply -> ((EntryReply.Kept) reply).called())
                .containsExactly(List.of(carol), List.of());
    }
}
