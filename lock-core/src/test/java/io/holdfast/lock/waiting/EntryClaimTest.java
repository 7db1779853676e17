package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Until when a lock is certainly held that a message has granted, however late the message is. */
class EntryClaimTest {

    private static final long ASKED_AT = 5_000_000_000L;
    private static final long ROUND_TRIP = 1_000_000L;
    private static final long RECEIVED_AT = ASKED_AT + 1_000_000_000L;
    private static final long LONGEST = LockStore.RESERVATION.toNanos() / 1000;
    private static final Waiters NONE = Waiters.NONE;

    private final QueueEntry entry = new QueueEntry(LockKey.of("order:42"), new OwnerId("client", 1));

    private static Reservation reservation(long atMicros) {
        return new Reservation(atMicros + 7, 1, Waiters.NONE, atMicros, atMicros + 1_500_000);
    }

    private void answered(long askedAt, long micros) {
        entry.answered(new StoreTime(askedAt, askedAt + ROUND_TRIP, micros));
    }

    /** Long after the store was asked. */
    private void hear(Reservation reservation) {
        entry.granted(reservation, RECEIVED_AT);
    }

    /** For a lease that is longer than the reservation. */
    private QueueEntry.Grant claim() {
        return entry.claim(RECEIVED_AT, TimeUnit.SECONDS.toNanos(30), false);
    }

    @Test
    void deadline_counts_from_before_the_last_question_was_sent() {
        answered(ASKED_AT, 1_000_000);

        hear(reservation(1_200_000));

        QueueEntry.Grant claim = claim();
        assertThat(claim).isNotNull();
        assertThat(claim.token()).isEqualTo(1_200_007);
        assertThat(claim.deadline()).isEqualTo(ASKED_AT + (200_000 + 1_500_000 - 1) * 1000L);
    }

    @Test
    void later_question_makes_the_deadline_no_later() {
        answered(ASKED_AT, 1_000_000);
        answered(ASKED_AT + 100_000_000, 1_100_000);

        hear(reservation(1_200_000));

        assertThat(claim().deadline()).isEqualTo(ASKED_AT + 100_000_000 + (100_000 + 1_500_000 - 1) * 1000L);
    }

    @Test
    void answer_that_is_older_than_the_known_one_changes_nothing() {
        answered(ASKED_AT, 1_000_000);
        answered(ASKED_AT + ROUND_TRIP / 2, 900_000);

        hear(reservation(1_200_000));

        assertThat(claim().deadline()).isEqualTo(ASKED_AT + (200_000 + 1_500_000 - 1) * 1000L);
    }

    @Test
    void message_that_an_answer_has_overtaken_grants_nothing() {
        answered(ASKED_AT, 1_300_000);

        hear(reservation(1_200_000));

        assertThat(claim()).isNull();
    }

    @Test
    void message_that_a_later_answer_has_overtaken_grants_nothing() {
        answered(ASKED_AT, 1_000_000);
        answered(ASKED_AT + 100_000_000, 1_300_000);

        hear(reservation(1_200_000));

        assertThat(claim()).isNull();
    }

    @Test
    void message_of_the_moment_of_the_answer_is_news() {
        answered(ASKED_AT, 1_200_000);

        hear(reservation(1_200_000));

        assertThat(claim().deadline()).isEqualTo(ASKED_AT + (1_500_000 - 1) * 1000L);
    }

    @Test
    void message_grants_nothing_as_long_as_no_question_was_answered() {
        hear(reservation(1_200_000));

        assertThat(claim()).isNull();
    }

    @Test
    void answer_to_a_later_question_counts_though_the_clock_went_back() {
        answered(ASKED_AT, 9_000_000);
        answered(ASKED_AT + 100_000_000, 1_000_000);

        hear(reservation(1_200_000));

        assertThat(claim().deadline()).isEqualTo(ASKED_AT + 100_000_000 + (200_000 + 1_500_000 - 1) * 1000L);
    }

    @Test
    void deadline_is_no_later_than_the_whole_reservation_after_the_message_came() {
        answered(ASKED_AT, 1_000_000);

        entry.granted(reservation(1_040_000), ASKED_AT + 20_000_000);

        assertThat(claim().deadline()).isEqualTo(ASKED_AT + 20_000_000 + (1_500_000 - 1) * 1000L);
    }

    /** The call that confirms it takes the rest of the reservation away. */
    @Test
    void deadline_is_no_later_than_the_lease_after_the_grant() {
        answered(ASKED_AT, 1_000_000);

        hear(reservation(1_200_000));

        assertThat(entry.claim(RECEIVED_AT, 1_000_000_000, false).deadline())
                .isEqualTo(ASKED_AT + (200_000 + 1_000_000 - 1) * 1000L);
    }

    @Test
    void message_of_a_clock_that_jumped_forward_grants_nothing() {
        answered(ASKED_AT, 1_000_000);

        hear(reservation(3_000_000));

        assertThat(claim()).isNull();
    }

    @ParameterizedTest
    @MethodSource("impossible")
    void message_that_cannot_be_true_grants_nothing(Reservation reported) {
        answered(ASKED_AT, 1_000_000);

        hear(reported);

        assertThat(claim()).isNull();
    }

    static Stream<Reservation> impossible() {
        long at = 1_200_000;
        long until = at + 1_000_000;
        long far = Long.MAX_VALUE;
        return Stream.of(
                new Reservation(at, 1, NONE, at, at + LONGEST + 1),
                new Reservation(at, 1, NONE, at, at + 3_600_000_000L),
                new Reservation(at, 1, NONE, at, far),
                new Reservation(at, 1, NONE, at, at),
                new Reservation(at, 1, NONE, at, at - 1),
                new Reservation(at, 1, NONE, at, 0),
                new Reservation(at, 1, NONE, at, Long.MIN_VALUE),
                new Reservation(at, 1, NONE, far, far),
                new Reservation(far, 1, NONE, far - 1_000_000, far),
                new Reservation(at, 1, NONE, 0, until),
                new Reservation(at, 1, NONE, Long.MIN_VALUE, until),
                new Reservation(far, 1, NONE, at, until),
                new Reservation(1L << 53, 1, NONE, at, until),
                new Reservation(at + 3_000_000, 1, NONE, at, until),
                new Reservation(at - 1, 1, NONE, at, until),
                new Reservation(0, 1, NONE, at, until),
                new Reservation(-1, 1, NONE, at, until),
                new Reservation(at, 0, NONE, at, until),
                new Reservation(at, -1, NONE, at, until),
                new Reservation(at, far, NONE, at, until));
    }

    @Test
    void message_is_believed_up_to_the_longest_reservation_and_a_token_a_little_ahead() {
        answered(ASKED_AT, 1_000_000);

        hear(new Reservation(1_200_000 + 1_000_000, 100_000, NONE, 1_200_000, 1_200_000 + LONGEST));

        assertThat(claim()).isNotNull();
    }

    @Test
    void question_that_is_asked_after_a_message_makes_it_old() {
        answered(ASKED_AT, 1_000_000);
        hear(reservation(1_200_000));

        entry.rearm();

        assertThat(claim()).isNull();
    }
}
