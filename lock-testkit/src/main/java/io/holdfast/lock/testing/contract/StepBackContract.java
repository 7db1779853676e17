package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A queue and its lock after the store's clock has gone back. */
abstract class StepBackContract extends ContractFixture {

    private static final Duration BACK = Duration.ofHours(-1);

    StepBackContract(StoreUnderTest subject) {
        super(subject);
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
}
