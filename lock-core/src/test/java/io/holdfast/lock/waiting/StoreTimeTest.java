package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where what a message says ceases to be believed, to the microsecond. */
class StoreTimeTest {

    private static final long MICROS = 1_000_000_000;
    private static final long ASKED_AT = 77;
    private static final long ANSWERED_AT = 99;
    private static final long LONGEST = TimeUnit.NANOSECONDS.toMicros(LockStore.RESERVATION.toNanos());

    /** A message that is heard a second after the question cannot be of a later time than that, but for 50 ms. */
    private static final long LATEST = MICROS + 1_050_000;

    private static final long RECEIVED_AT = ASKED_AT + TimeUnit.SECONDS.toNanos(1);

    private final StoreTime time = new StoreTime(ASKED_AT, ANSWERED_AT, MICROS);

    private boolean isAccepted(long at, long lasts, long token, long tokens) {
        return time.verify(new Reservation(token, tokens, Waiters.NONE, at, at + lasts), RECEIVED_AT, Long.MAX_VALUE)
                != null;
    }

    @ParameterizedTest
    @CsvSource({"-1, false", "0, true", "1050000, true", "1050001, false"})
    void grant_was_made_after_the_answer_and_before_the_message_was_heard(long after, boolean accepted) {
        assertThat(isAccepted(MICROS + after, LONGEST, LATEST, 1)).isEqualTo(accepted);
    }

    @ParameterizedTest
    @CsvSource({"0, false", "1, true", "3400000, true", "3400001, false"})
    void grant_lasts_for_some_time_and_for_a_reservation_at_most(long lasts, boolean accepted) {
        assertThat(isAccepted(MICROS, lasts, LATEST, 1)).isEqualTo(accepted);
    }

    @ParameterizedTest
    @CsvSource({"-1, false", "0, true"})
    void token_is_no_smaller_than_the_time_of_the_grant(long more, boolean accepted) {
        assertThat(isAccepted(MICROS + 5, LONGEST, MICROS + 5 + more, 1)).isEqualTo(accepted);
    }

    @ParameterizedTest
    @CsvSource({"1100000, true", "1100001, false"})
    void token_is_ahead_of_the_store_by_some_blocks_at_most(long ahead, boolean accepted) {
        assertThat(isAccepted(MICROS, LONGEST, LATEST + ahead, 1)).isEqualTo(accepted);
    }

    @ParameterizedTest
    @CsvSource({"0, false", "1, true", "1100000, true", "1100001, false"})
    void block_of_tokens_has_one_at_least_and_no_more_than_fit(long tokens, boolean accepted) {
        assertThat(isAccepted(MICROS, LONGEST, LATEST, tokens)).isEqualTo(accepted);
    }

    @ParameterizedTest
    @CsvSource({
        "98, 1, true",
        "98, 0, false",
        "98, -1, false",
        "99, 0, true",
        "99, -1, true",
    })
    void answer_counts_as_the_later_one_if_its_time_is_or_if_it_was_asked_for_afterwards(
            long askedAt, long moreMicros, boolean later) {
        StoreTime next = new StoreTime(askedAt, askedAt + 10, MICROS + moreMicros);

        assertThat(next.orLater(time)).isEqualTo(later ? next : time);
        assertThat(next.orLater(null)).isEqualTo(next);
    }
}
