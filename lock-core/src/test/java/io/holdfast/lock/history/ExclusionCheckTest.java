package io.holdfast.lock.history;

import static io.holdfast.lock.history.HandMadeRecord.EXCLUSIVE;
import static io.holdfast.lock.history.Violation.Promise.EXCLUSION;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExclusionCheckTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final HandMadeRecord record = new HandMadeRecord();

    /** Two grants whose calls and tokens are in order, so that only what they held can be wrong. */
    private HandMadeRecord two(int limitOfOne, int limitOfOther) {
        return record.granted(1, limitOfOne, 7, 0, 1).granted(2, limitOfOther, 8, 2, 3);
    }

    @Test
    void one_after_the_other_is_right() {
        two(EXCLUSIVE, EXCLUSIVE)
                .held(1, 10, 11)
                .held(1, 20, 21)
                .held(2, 22, 23)
                .held(2, 30, 31);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void answer_of_another_while_it_is_held_is_found() {
        two(EXCLUSIVE, EXCLUSIVE).held(1, 10, 11).held(1, 40, 41).held(2, 20, 21);

        assertThat(record.broken()).containsExactly(EXCLUSION);
    }

    @Test
    void spans_that_reach_into_each_other_are_found() {
        two(EXCLUSIVE, EXCLUSIVE)
                .held(1, 10, 11)
                .held(1, 30, 31)
                .held(2, 20, 21)
                .held(2, 40, 41);

        assertThat(record.broken()).containsExactly(EXCLUSION);
    }

    @Test
    void answers_that_took_long_may_have_been_given_one_after_the_other() {
        two(EXCLUSIVE, EXCLUSIVE).held(1, 10, 11).held(1, 20, 90).held(2, 15, 100);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void former_one_may_have_ended_before_the_answer_that_began_earlier() {
        two(EXCLUSIVE, EXCLUSIVE)
                .held(1, 10, 11)
                .held(1, 20, 21)
                .held(2, 15, 25)
                .held(2, 40, 41);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void single_answers_prove_nothing_about_each_other() {
        two(EXCLUSIVE, EXCLUSIVE).held(1, 10, 40).held(2, 20, 30);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void what_was_lost_is_not_held() {
        two(EXCLUSIVE, EXCLUSIVE)
                .held(1, 10, 11)
                .notHeld(1, 40, 41)
                .held(2, 20, 21)
                .held(2, 50, 51);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void killed_process_held_until_its_last_answer() {
        two(EXCLUSIVE, EXCLUSIVE)
                .held(1, 10, 11)
                .held(1, 30, 31)
                .held(2, 29, 30)
                .held(2, 60, 61);

        assertThat(record.broken()).containsExactly(EXCLUSION);
    }

    @Test
    void reader_beside_a_writer_is_found() {
        two(EXCLUSIVE, UNLIMITED)
                .held(1, 10, 11)
                .held(1, 40, 41)
                .held(2, 20, 21)
                .held(2, 50, 51);

        assertThat(record.broken()).containsExactly(EXCLUSION);
    }

    @Test
    void writer_beside_a_reader_is_found() {
        two(UNLIMITED, EXCLUSIVE)
                .held(1, 10, 11)
                .held(1, 40, 41)
                .held(2, 20, 21)
                .held(2, 30, 31);

        assertThat(record.broken()).containsExactly(EXCLUSION);
    }

    @Test
    void readers_share() {
        two(UNLIMITED, UNLIMITED)
                .held(1, 10, 11)
                .held(1, 40, 41)
                .held(2, 20, 21)
                .held(2, 30, 31);

        assertThat(record.broken()).isEmpty();
    }

    private void three(int limit) {
        for (int handle = 1; handle <= 3; handle++) {
            record.granted(handle, limit, handle, 0, 5)
                    .held(handle, 10 * handle, 10 * handle + 1)
                    .held(handle, 100 + handle, 200);
        }
    }

    @Test
    void as_many_permits_as_there_are_may_be_held() {
        three(3);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void one_permit_too_many_is_found() {
        three(2);

        assertThat(record.broken()).containsExactly(EXCLUSION);
    }

    @Test
    void permits_that_were_not_held_at_one_time_are_not_too_many() {
        record.granted(1, 2, 1, 0, 5).held(1, 10, 11).held(1, 20, 21);
        record.granted(2, 2, 2, 0, 5).held(2, 12, 13).held(2, 50, 51);
        record.granted(3, 2, 3, 0, 5).held(3, 30, 31).held(3, 60, 61);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void reader_inside_a_writer_is_the_same_holder() {
        record.granted(1, EXCLUSIVE, 7, 0, 1)
                .held(1, 10, 11)
                .held(1, 40, 41)
                .reentered(2, 1, UNLIMITED, 7, 12, 13)
                .reentryHeld(2, 1, 20, 21)
                .reentryHeld(2, 1, 60, 61);

        assertThat(record.broken()).isEmpty();
    }

    @Test
    void reader_beside_a_writer_that_has_become_a_reader_is_right_and_before_that_is_not() {
        record.granted(1, EXCLUSIVE, 7, 0, 1)
                .held(1, 10, 11)
                .held(1, 40, 41)
                .reentered(2, 1, UNLIMITED, 7, 12, 13)
                .reentryHeld(2, 1, 20, 21)
                .reentryHeld(2, 1, 90, 91);
        record.granted(3, UNLIMITED, 8, 2, 3).held(3, 50, 51).held(3, 60, 61);
        assertThat(record.broken()).isEmpty();

        record.held(3, 30, 31);
        assertThat(record.broken()).containsExactly(EXCLUSION);
    }

    @Test
    void lost_lock_that_is_held_again_is_found() {
        record.granted(1, EXCLUSIVE, 7, 0, 1).held(1, 10, 11).notHeld(1, 20, 21).held(1, 30, 31);

        assertThat(record.broken()).containsExactly(Violation.Promise.FINALITY);
    }

    @Test
    void answers_at_the_same_time_may_differ() {
        record.granted(1, EXCLUSIVE, 7, 0, 1).held(1, 10, 30).notHeld(1, 15, 25);

        assertThat(record.broken()).isEmpty();
    }
}
