package io.holdfast.lock.history;

import static io.holdfast.lock.history.HandMadeRecord.EXCLUSIVE;
import static io.holdfast.lock.history.Violation.Promise.EXCLUSION;
import static io.holdfast.lock.history.Violation.Promise.TOKENS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TokenCheckTest {

    private static final int PERMITS = 5;

    private final HandMadeRecord record = new HandMadeRecord();

    @Test
    void tokens_in_the_order_of_calls_are_right() {
        record.granted(1, EXCLUSIVE, 7, 0, 10).granted(2, EXCLUSIVE, 8, 20, 30).granted(3, EXCLUSIVE, 9, 40, 50);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void smaller_token_of_a_later_call_is_found() {
        record.granted(1, EXCLUSIVE, 9, 0, 10).granted(2, EXCLUSIVE, 8, 20, 30);

        assertThat(record.broken()).containsExactly(TOKENS);
    }

    @Test
    void wrong_order_lasts_from_the_one_grant_to_the_other() {
        record.granted(1, EXCLUSIVE, 9, 0, 10).granted(2, EXCLUSIVE, 8, 20, 30);

        assertThat(Check.violations(record.history())).singleElement().satisfies(each -> {
            assertThat(each.from()).isEqualTo(10);
            assertThat(each.to()).isEqualTo(30);
        });
    }

    /** As if the first lease had been ended early by a clock: the second grant is what should not have been. */
    @Test
    void wrong_order_of_holds_lasts_from_the_grant_of_the_greater_token() {
        record.granted(1, EXCLUSIVE, 8, 0, 20).held(1, 41, 42);
        record.granted(2, EXCLUSIVE, 9, 10, 30).held(2, 31, 32);

        assertThat(Check.violations(record.history())).singleElement().satisfies(each -> {
            assertThat(each.promise()).isEqualTo(TOKENS);
            assertThat(each.from()).isEqualTo(30);
            assertThat(each.to()).isEqualTo(30);
        });
    }

    @Test
    void smaller_token_long_after_a_great_one_is_found() {
        record.granted(1, PERMITS, 101, 0, 10)
                .granted(2, PERMITS, 102, 11, 12)
                .granted(3, PERMITS, 103, 13, 14)
                .granted(4, PERMITS, 8, 20, 30);

        assertThat(record.broken()).containsExactly(TOKENS);
    }

    @Test
    void calls_at_the_same_time_may_be_granted_in_either_order() {
        record.granted(1, PERMITS, 9, 0, 20).granted(2, PERMITS, 8, 10, 30);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void same_token_twice_is_found_even_at_the_same_time() {
        record.granted(1, PERMITS, 8, 0, 20).granted(2, PERMITS, 8, 10, 30);

        assertThat(record.broken()).containsExactly(TOKENS);
    }

    @Test
    void waiter_that_gets_a_smaller_token_than_the_former_holder_is_found() {
        record.granted(1, EXCLUSIVE, 9, 0, 20).held(1, 21, 22).held(1, 30, 31);
        record.granted(2, EXCLUSIVE, 8, 10, 40).held(2, 41, 42);

        assertThat(record.broken()).containsExactly(TOKENS);
    }

    @Test
    void waiter_that_was_granted_the_lock_first_has_the_smaller_token() {
        record.granted(1, EXCLUSIVE, 9, 0, 50).held(1, 51, 52).held(1, 60, 61);
        record.granted(2, EXCLUSIVE, 8, 10, 40).held(2, 41, 42).held(2, 45, 46);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void writer_after_a_reader_needs_a_greater_token() {
        record.granted(1, PERMITS, 9, 0, 20).held(1, 21, 22);
        record.granted(2, EXCLUSIVE, 8, 10, 40).held(2, 41, 42);

        assertThat(record.broken()).containsExactly(TOKENS);
    }

    @Test
    void reader_after_a_writer_needs_a_greater_token() {
        record.granted(1, EXCLUSIVE, 9, 0, 20).held(1, 21, 22);
        record.granted(2, PERMITS, 8, 10, 40).held(2, 41, 42);

        assertThat(record.broken()).containsExactly(TOKENS);
    }

    @Test
    void readers_that_waited_together_may_be_held_in_either_order() {
        record.granted(1, PERMITS, 9, 0, 20).held(1, 21, 22).held(1, 30, 31);
        record.granted(2, PERMITS, 8, 10, 40).held(2, 41, 42).held(2, 50, 51);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void two_holders_at_a_time_say_nothing_of_the_order_of_their_tokens() {
        record.granted(1, EXCLUSIVE, 9, 0, 20).held(1, 21, 22).held(1, 50, 51);
        record.granted(2, EXCLUSIVE, 8, 10, 20).held(2, 21, 23).held(2, 60, 61);

        assertThat(record.broken()).containsExactly(EXCLUSION);
    }

    @Test
    void holders_at_a_time_do_not_hide_another_wrong_order() {
        record.granted(1, EXCLUSIVE, 7, 0, 20).held(1, 21, 22).held(1, 25, 26);
        record.granted(2, EXCLUSIVE, 9, 0, 30).held(2, 31, 32).held(2, 50, 51);
        record.granted(3, EXCLUSIVE, 6, 0, 30).held(3, 33, 34).held(3, 60, 61);

        assertThat(record.broken()).containsExactly(EXCLUSION, TOKENS);
    }

    @Test
    void reentry_has_the_token_of_its_hold() {
        record.granted(1, EXCLUSIVE, 7, 0, 10).reentered(2, 1, EXCLUSIVE, 7, 20, 21);
        assertThat(record.broken()).isEmpty();

        record.reentered(3, 1, EXCLUSIVE, 8, 22, 23);
        assertThat(record.broken()).containsExactly(TOKENS);
    }

    @Test
    void grant_that_was_never_seen_as_held_counts_too() {
        record.granted(1, EXCLUSIVE, 9, 0, 10).notHeld(1, 11, 12);
        record.granted(2, EXCLUSIVE, 9, 20, 30).held(2, 31, 32);

        assertThat(record.broken()).contains(TOKENS);
    }
}
