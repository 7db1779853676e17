package io.holdfast.lock.history;

import static io.holdfast.lock.history.HandMadeRecord.EXCLUSIVE;
import static io.holdfast.lock.history.HandMadeRecord.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.history.Availability.Gap;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AvailabilityTest {

    private static final long SECOND = 1_000_000_000;

    private final HandMadeRecord record = new HandMadeRecord();

    private List<Gap> gaps() {
        return Availability.gaps(record.history());
    }

    @Test
    void time_from_the_first_call_to_the_grant_is_a_gap() {
        record.granted(1, EXCLUSIVE, 7, 0, 3 * SECOND).granted(2, EXCLUSIVE, 8, SECOND, 4 * SECOND);

        assertThat(gaps()).containsExactly(new Gap(KEY, 0, 3 * SECOND), new Gap(KEY, 3 * SECOND, 4 * SECOND));
        assertThat(gaps().get(0).length()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void time_during_which_it_is_held_is_none() {
        record.granted(1, EXCLUSIVE, 7, 0, SECOND).held(1, 5 * SECOND, 6 * SECOND);
        record.granted(2, EXCLUSIVE, 8, 2 * SECOND, 7 * SECOND);

        assertThat(gaps()).containsExactly(new Gap(KEY, 0, SECOND), new Gap(KEY, 5 * SECOND, 7 * SECOND));
    }

    @Test
    void failures_and_short_pauses_between_calls_do_not_end_it() {
        record.invoked(1, EXCLUSIVE, 0).failed(1, "LockStoreException", 2 * SECOND);
        record.granted(2, EXCLUSIVE, 8, 2 * SECOND + SECOND / 20, 5 * SECOND);

        assertThat(gaps()).containsExactly(new Gap(KEY, 0, 5 * SECOND));
    }

    @Test
    void time_during_which_nobody_asks_does() {
        record.invoked(1, EXCLUSIVE, 0).failed(1, "LockStoreException", 2 * SECOND);
        record.granted(2, EXCLUSIVE, 8, 3 * SECOND, 5 * SECOND);

        assertThat(gaps()).containsExactly(new Gap(KEY, 0, 2 * SECOND), new Gap(KEY, 3 * SECOND, 5 * SECOND));
    }

    @Test
    void hold_that_reaches_into_the_next_call_serves_there_too() {
        record.granted(1, EXCLUSIVE, 7, 0, SECOND).held(1, 5 * SECOND, 6 * SECOND);
        record.granted(2, EXCLUSIVE, 8, 4 * SECOND, 7 * SECOND);

        assertThat(gaps()).containsExactly(new Gap(KEY, 0, SECOND), new Gap(KEY, 5 * SECOND, 7 * SECOND));
    }

    @Test
    void process_that_was_killed_asked_until_its_last_word() {
        record.granted(1, EXCLUSIVE, 7, 0, 0).invoked(2, EXCLUSIVE, SECOND);
        record.failed(2, "LockNotAcquiredException", 2 * SECOND).invoked(2, EXCLUSIVE, 3 * SECOND);

        assertThat(gaps()).noneMatch(gap -> gap.to() > 3 * SECOND);
    }
}
