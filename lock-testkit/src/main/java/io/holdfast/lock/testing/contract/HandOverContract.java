package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which waiter gets a lock after a release, a downgrade or an expired lease. */
abstract class HandOverContract extends ContractFixture {

    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final long BLOCK = 1_000;

    HandOverContract(StoreUnderTest subject) {
        super(subject);
    }

    @Test
    void readers_keep_writers_out_until_the_last_is_gone() {
        shared(alice, UNLIMITED);
        shared(bob, UNLIMITED);
        queue(carol);

        released(alice);
        assertThat(called(carol)).isEmpty();
        held(tryOnce(dave));

        released(bob);
        assertThat(called(carol)).containsExactly(carol);
        granted(carol);
    }

    @Test
    void waiting_writer_is_not_passed_by_readers() {
        shared(alice, UNLIMITED);
        queue(bob);

        assertThat(held(tryShared(carol, UNLIMITED)).clientId()).isEqualTo(alice.clientId());
        queueShared(UNLIMITED, carol);

        released(alice);
        assertThat(called(carol, bob)).containsExactly(bob);
    }

    @Test
    void readers_behind_a_writer_get_in_together_after_it() {
        granted(alice);
        queue(bob);
        queueShared(UNLIMITED, carol, dave);
        released(alice);
        assertThat(called(bob, carol, dave)).containsExactly(bob);
        granted(bob);

        released(bob);

        assertThat(called(carol, dave)).containsExactly(carol, dave);
        assertThat(shared(dave, UNLIMITED)).isGreaterThan(shared(carol, UNLIMITED));
    }

    @Test
    void waiting_readers_get_in_together_up_to_the_next_writer() {
        granted(alice);
        queueShared(UNLIMITED, bob, carol);
        queue(dave);
        queueShared(UNLIMITED, erin);

        released(alice);

        assertThat(called(bob, carol, dave, erin)).containsExactly(bob, carol);
        reservedForAnother(acquire(erin, LEASE, UNLIMITED, true));
        reservedForAnother(acquire(dave, LEASE, true));
    }

    @Test
    void writer_comes_after_readers_that_have_not_claimed_yet() {
        granted(alice);
        queueShared(UNLIMITED, bob, carol);
        queue(dave);
        released(alice);
        shared(bob, UNLIMITED);
        released(bob);
        assertThat(called(carol, dave)).containsExactly(carol);

        shared(carol, UNLIMITED);
        released(carol);

        assertThat(called(dave)).containsExactly(dave);
    }

    @Test
    void last_try_of_a_waiting_writer_lets_in_the_readers_behind_it() {
        shared(alice, UNLIMITED);
        queue(bob);
        queueShared(UNLIMITED, carol);

        held(tryOnce(bob));

        assertThat(called(carol)).containsExactly(carol);
        shared(carol, UNLIMITED);
    }

    @Test
    void waiting_writer_that_leaves_lets_in_the_readers_behind_it() {
        shared(alice, UNLIMITED);
        queue(bob);
        queueShared(UNLIMITED, carol);

        leave(bob);

        shared(carol, UNLIMITED);
    }

    @Test
    void waiting_writer_that_died_lets_in_the_readers_behind_it() {
        shared(alice, UNLIMITED);
        queue(bob);
        pass(HALF_ENTRY_TIMEOUT);
        queueShared(UNLIMITED, carol);

        pass(HALF_ENTRY_TIMEOUT);

        shared(carol, UNLIMITED);
        shared(dave, UNLIMITED);
    }

    @Test
    void waiting_permits_are_reserved_together_up_to_the_limit() {
        granted(alice);
        queueShared(2, bob, carol, dave);

        released(alice);

        assertThat(called(bob, carol, dave)).containsExactly(bob, carol);
        reservedForAnother(tryShared(erin, 2));
        shared(bob, 2);
        shared(carol, 2);
        refused(tryShared(dave, 2));
    }

    @Test
    void permit_given_back_goes_to_the_first_waiter() {
        shared(alice, 2);
        shared(bob, 2);
        queueShared(2, carol, dave);

        released(bob);

        assertThat(called(dave, carol)).containsExactly(carol);
        refused(tryShared(erin, 2));
        shared(carol, 2);
    }

    @Test
    void permit_whose_reservation_lapsed_goes_to_the_next() {
        shared(alice, 2);
        shared(bob, 2);
        queueShared(2, carol, dave);
        released(bob);

        lapse(dave);

        assertThat(called(dave)).containsExactly(dave);
        assertThat(holders()).containsExactlyInAnyOrder(alice.clientId(), dave.clientId());
    }

    @Test
    void permit_whose_reservation_lapsed_is_reserved_again_if_nobody_else_can_use_it() {
        shared(alice, 2);
        shared(bob, 2);
        queueShared(2, carol);
        released(bob);

        lapse(carol);

        assertThat(called(carol)).containsExactly(carol);
        shared(carol, 2);
    }

    @Test
    void entry_whose_reservation_lapsed_gets_what_the_next_does_not_need() {
        acquire(alice, LockStore.RESERVATION, 2, false);
        shared(bob, 2);
        queueShared(2, carol, dave);
        released(bob);

        lapse(carol, dave);

        assertThat(called(carol, dave)).containsExactly(carol, dave);
    }

    @Test
    void permits_of_an_expired_holder_come_back() {
        acquire(alice, SHORT, 2, false);
        shared(bob, 2);
        queueShared(2, carol);

        pass(SHORT);

        assertThat(holders()).containsExactly(bob.clientId());
        shared(carol, 2);
        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
    }

    @Test
    void forced_release_takes_all_permits_and_names_their_holders() {
        shared(alice, 2);
        shared(bob, 2);
        queue(carol);

        assertThat(store().forceRelease(key))
                .extracting(LockHolder::clientId)
                .containsExactlyInAnyOrder(alice.clientId(), bob.clientId());

        granted(carol);
        assertThat(renew(bob, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
    }

    @Test
    void downgrade_lets_in_the_readers_that_wait_first() {
        granted(alice);
        queueShared(UNLIMITED, bob, carol);
        queue(dave);

        store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS);

        assertThat(called(bob, carol, dave)).containsExactly(bob, carol);
        shared(carol, UNLIMITED);
    }

    @Test
    void downgrade_lets_nobody_pass_a_waiting_writer() {
        granted(alice);
        queue(bob);
        queueShared(UNLIMITED, carol);

        store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS);

        assertThat(called(bob, carol)).isEmpty();
        released(alice);
        assertThat(called(bob, carol)).containsExactly(bob);
    }

    @Test
    void lock_whose_lease_has_ended_goes_to_the_first_waiter_instead_of_being_downgraded() {
        acquire(alice, SHORT, false);
        queue(bob);
        pass(SHORT);

        assertThat(store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.NOT_HOLDER);

        assertThat(holders()).containsExactly(bob.clientId());
    }

    @Test
    void lease_that_ended_is_not_released_once_somebody_waits() {
        granted(alice);
        pass(LEASE.minus(HALF_ENTRY_TIMEOUT));
        queue(bob);
        pass(HALF_ENTRY_TIMEOUT);

        assertThat(release(alice)).isEqualTo(notHolder());

        assertThat(holders()).containsExactly(bob.clientId());
    }

    @Test
    void tokens_increase_over_claims_too() {
        long first = granted(alice);
        queue(bob);
        released(alice);

        assertThat(granted(bob)).isGreaterThan(first);
    }

    @Test
    void reservation_reserves_the_tokens_that_its_entry_asked_for() {
        granted(alice);
        refused(store().acquire(new AcquireRequest(
                key, bob, LEASE.toMillis(), HERE, EXCLUSIVE, 1, false, true, BLOCK, 0, false)));
        released(alice);

        AcquireReply claim = tryOnce(bob);

        assertThat(((AcquireReply.Granted) claim).tokens()).isEqualTo(BLOCK);
        assertThat(store().inspect(key).lastFencingToken()).isEqualTo(granted(claim) + BLOCK - 1);
    }
}
