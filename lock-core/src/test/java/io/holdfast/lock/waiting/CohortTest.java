package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long the threads of one client may hand a lock to each other, and with which tokens. */
class CohortTest {

    private static final long FIRST = 1_000_000;
    private static final long BLOCK = 100_000;
    private static final Duration MICRO = Duration.ofNanos(1000);

    private final FakeTicker time = new FakeTicker();

    @Test
    void cohort_alone_goes_on_for_100_ms() {
        Cohort alone = cohort(Waiters.NONE);

        time.pass(Duration.ofMillis(100).minus(MICRO));
        assertThat(Cohorts.next(alone)).isEqualTo(FIRST + BLOCK - 1);
        time.pass(MICRO);
        assertThat(Cohorts.next(alone)).isZero();
    }

    @Test
    void cohort_alone_hands_off_as_often_as_it_likes() {
        assertThat(handoffs(cohort(Waiters.NONE), 10_000)).isEqualTo(10_000);
    }

    @Test
    void cohort_that_was_awaited_from_the_beginning_ends_after_64_handoffs() {
        assertThat(handoffs(cohort(Waiters.UNFAIR), 100)).isEqualTo(64);
    }

    @Test
    void cohort_that_becomes_awaited_ends_after_64_further_handoffs() {
        Cohort cohort = cohort(Waiters.NONE);
        assertThat(handoffs(cohort, 50)).isEqualTo(50);

        cohort.awaited(Waiters.UNFAIR);

        assertThat(handoffs(cohort, 100)).isEqualTo(64);
    }

    @Test
    void cohort_that_was_awaited_from_the_beginning_ends_after_5_ms() {
        Cohort cohort = cohort(Waiters.UNFAIR);

        time.pass(Duration.ofMillis(5).minus(MICRO));
        assertThat(Cohorts.next(cohort)).isPositive();
        time.pass(MICRO);
        assertThat(Cohorts.next(cohort)).isZero();
    }

    @Test
    void cohort_that_becomes_awaited_ends_5_ms_later() {
        Cohort cohort = cohort(Waiters.NONE);
        time.pass(Duration.ofMillis(50));
        cohort.awaited(Waiters.UNFAIR);

        time.pass(Duration.ofMillis(5).minus(MICRO));
        assertThat(Cohorts.next(cohort)).isPositive();
        time.pass(MICRO);
        assertThat(Cohorts.next(cohort)).isZero();
    }

    @Test
    void further_waiters_grant_no_further_time() {
        Cohort cohort = cohort(Waiters.NONE);
        cohort.awaited(Waiters.UNFAIR);
        time.pass(Duration.ofMillis(4));

        cohort.awaited(Waiters.UNFAIR);

        time.pass(Duration.ofMillis(1).minus(MICRO));
        assertThat(Cohorts.next(cohort)).isPositive();
        time.pass(MICRO);
        assertThat(Cohorts.next(cohort)).isZero();
    }

    @Test
    void further_waiters_grant_no_further_handoffs() {
        Cohort cohort = cohort(Waiters.NONE);
        cohort.awaited(Waiters.UNFAIR);
        assertThat(handoffs(cohort, 10)).isEqualTo(10);

        cohort.awaited(Waiters.UNFAIR);

        assertThat(handoffs(cohort, 100)).isEqualTo(54);
    }

    @Test
    void nobody_is_passed_who_is_fair() {
        Cohort awaited = cohort(Waiters.FAIR);
        Cohort surprised = cohort(Waiters.NONE);
        time.pass(MICRO);
        assertThat(Cohorts.next(surprised)).isPositive();

        surprised.awaited(Waiters.FAIR);

        assertThat(Cohorts.next(awaited)).isZero();
        assertThat(Cohorts.next(surprised)).isZero();
    }

    @Test
    void fair_waiter_is_not_forgotten_when_another_one_comes() {
        Cohort cohort = cohort(Waiters.NONE);
        cohort.awaited(Waiters.FAIR);
        cohort.awaited(Waiters.UNFAIR);
        time.pass(MICRO);

        assertThat(Cohorts.next(cohort)).isZero();
    }

    @Test
    void tokens_strictly_increase() {
        Cohort cohort = cohort(Waiters.NONE);
        time.pass(MICRO);
        long token = Cohorts.next(cohort);
        assertThat(token).isGreaterThan(FIRST);

        assertThat(Cohorts.next(cohort)).isZero();
        time.pass(MICRO);
        assertThat(Cohorts.next(cohort)).isEqualTo(token + 1);
    }

    @Test
    void handoff_in_the_microsecond_of_the_grant_has_no_token() {
        Cohort cohort = cohort(Waiters.NONE);
        time.pass(MICRO.minusNanos(1));

        assertThat(Cohorts.next(cohort)).isZero();
    }

    @Test
    void token_is_never_ahead_of_the_time_since_the_grant() {
        Cohort cohort = cohort(Waiters.NONE);
        for (int micros = 1; micros <= 1000; micros++) {
            time.pass(MICRO);
            assertThat(Cohorts.next(cohort)).isEqualTo(FIRST + micros);
        }
    }

    @Test
    void token_is_never_beyond_the_block() {
        Cohort small = Cohorts.of(new OwnerId("client", 1), FIRST, 10, Waiters.NONE, time);

        time.pass(MICRO.multipliedBy(9));
        assertThat(Cohorts.next(small)).isEqualTo(FIRST + 9);
        time.pass(MICRO);
        assertThat(Cohorts.next(small)).isZero();
    }

    @Test
    void block_lasts_for_100_ms_or_for_a_shorter_lease() {
        assertThat(Cohort.tokens(30_000)).isEqualTo(100_000);
        assertThat(Cohort.tokens(100)).isEqualTo(100_000);
        assertThat(Cohort.tokens(40)).isEqualTo(40_000);
    }

    private Cohort cohort(Waiters waiters) {
        return Cohorts.of(new OwnerId("client", 1), FIRST, BLOCK, waiters, time);
    }

    /** How often it can be handed off, a microsecond after each other. */
    private int handoffs(Cohort cohort, int atMost) {
        for (int done = 0; done < atMost; done++) {
            time.pass(MICRO);
            if (!cohort.handOff(0)) {
                return done;
            }
        }
        return atMost;
    }
}
