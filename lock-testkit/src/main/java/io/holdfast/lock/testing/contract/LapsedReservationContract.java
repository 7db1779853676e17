package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reservation that nobody claims in time. In every test it is for bob, and carol waits behind him. */
abstract class LapsedReservationContract extends ContractFixture {

    private static final Duration SOME_TIME = LockStore.RESERVATION.dividedBy(5);

    LapsedReservationContract(StoreUnderTest subject) {
        super(subject);
    }

    @BeforeEach
    void reserve() {
        granted(alice);
        queue(bob, carol);
        released(alice);
    }

    @Test
    void reservation_that_nobody_claims_passes_to_the_next_live_entry() {
        lapse(carol);

        reservedForAnother(tryOnce(dave));
        granted(carol);
    }

    @Test
    void entry_whose_reservation_lapsed_keeps_its_place() {
        lapse(bob, carol);
        reservedForAnother(acquire(bob, LEASE, true));
        granted(carol);
        queue(dave);

        released(carol);

        assertThat(called(dave, bob)).containsExactly(bob);
    }

    @Test
    void lapsed_reservation_is_made_again_if_nobody_else_waits() {
        leave(carol);

        lapse(bob);

        reservedForAnother(tryOnce(dave));
        assertThat(called(bob)).containsExactly(bob);
        granted(bob);
    }

    @Test
    void owner_that_comes_a_little_late_is_granted_if_nobody_else_waits() {
        leave(carol);
        pass(LockStore.RESERVATION);

        granted(bob);
    }

    @Test
    void waiters_that_are_heard_of_pass_the_reservation_round_until_one_claims_it() {
        for (OwnerId next : new OwnerId[] {carol, bob, carol}) {
            lapse(bob, carol);
            assertThat(called(bob, carol)).containsExactly(next);
        }
    }

    @Test
    void keeping_the_entry_does_not_prolong_the_reservation() {
        pass(SOME_TIME);
        assertThat(called(bob, carol)).containsExactly(bob);

        pass(LockStore.RESERVATION.minus(SOME_TIME));

        assertThat(called(bob, carol)).containsExactly(carol);
    }

    @Test
    void entry_that_is_silent_while_the_lock_is_reserved_for_it_is_passed_for_good() {
        lapse(carol);

        assertThat(called(carol)).containsExactly(carol);
        released(carol);
        granted(dave);
    }

    @Test
    void entry_that_is_dead_when_its_reservation_ends_is_gone() {
        pass(LockStore.ENTRY_TIMEOUT);
        assertThat(store().inspect(key).waiters()).isZero();

        granted(dave);

        assertThat(called(bob, carol)).containsExactly(bob, carol);
    }
}
