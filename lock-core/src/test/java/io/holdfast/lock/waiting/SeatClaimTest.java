package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import org.junit.jupiter.api.Test;

/** Until when a lock is certainly held that a message has granted, however late the message is. */
class SeatClaimTest {

    private static final long ASKED_AT = 5_000_000_000L;

    private final Seat seat = new Seat(LockKey.of("order:42"), new OwnerId("client", 1));

    private static Reservation reservation(long atMicros) {
        return new Reservation(7, 1, Waiters.NONE, atMicros, atMicros + 1_500_000);
    }

    @Test
    void deadline_counts_from_before_the_last_question_was_sent() {
        seat.answered(ASKED_AT, 1_000_000);

        seat.granted(reservation(1_200_000));

        Seat.Claim claim = seat.claim();
        assertThat(claim).isNotNull();
        assertThat(claim.reservation().token()).isEqualTo(7);
        assertThat(claim.deadline()).isEqualTo(ASKED_AT + (200_000 + 1_500_000 - 1) * 1000L);
    }

    @Test
    void later_question_makes_the_deadline_no_later() {
        seat.answered(ASKED_AT, 1_000_000);
        seat.answered(ASKED_AT + 100_000_000, 1_100_000);

        seat.granted(reservation(1_200_000));

        assertThat(seat.claim().deadline()).isEqualTo(ASKED_AT + 100_000_000 + (100_000 + 1_500_000 - 1) * 1000L);
    }

    @Test
    void answer_that_is_older_than_the_known_one_changes_nothing() {
        seat.answered(ASKED_AT, 1_000_000);
        seat.answered(ASKED_AT + 50_000_000, 900_000);

        seat.granted(reservation(1_200_000));

        assertThat(seat.claim().deadline()).isEqualTo(ASKED_AT + (200_000 + 1_500_000 - 1) * 1000L);
    }

    @Test
    void message_that_an_answer_has_overtaken_grants_nothing() {
        seat.answered(ASKED_AT, 1_300_000);

        seat.granted(reservation(1_200_000));

        assertThat(seat.claim()).isNull();
    }

    @Test
    void message_that_a_later_answer_has_overtaken_grants_nothing() {
        seat.answered(ASKED_AT, 1_000_000);
        seat.answered(ASKED_AT + 100_000_000, 1_300_000);

        seat.granted(reservation(1_200_000));

        assertThat(seat.claim()).isNull();
    }

    @Test
    void message_of_the_moment_of_the_answer_is_news() {
        seat.answered(ASKED_AT, 1_200_000);

        seat.granted(reservation(1_200_000));

        assertThat(seat.claim().deadline()).isEqualTo(ASKED_AT + (1_500_000 - 1) * 1000L);
    }

    @Test
    void message_grants_nothing_as_long_as_no_question_was_answered() {
        seat.granted(reservation(1_200_000));

        assertThat(seat.claim()).isNull();
    }

    @Test
    void question_that_is_asked_after_a_message_makes_it_old() {
        seat.answered(ASKED_AT, 1_000_000);
        seat.granted(reservation(1_200_000));

        seat.rearm();

        assertThat(seat.claim()).isNull();
    }
}
