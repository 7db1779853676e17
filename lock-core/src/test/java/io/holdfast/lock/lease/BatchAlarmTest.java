package io.holdfast.lock.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The one alarm of a batch fits what it is at that moment, in whichever order its threads come to it. */
class BatchAlarmTest {

    private final Alarms<Batch<String>> alarms = new Alarms<>();
    private final Batch<String> batch = new Batch<>(alarms, List.of("a", "b"));

    private List<Long> times() {
        List<Long> times = new ArrayList<>();
        alarms.forEach(alarm -> times.add(alarm.at()));
        return times;
    }

    @Test
    void next_alarm_takes_the_place_of_the_former_one() {
        batch.look(10);
        batch.look(20);

        assertThat(times()).containsExactly(20L);
    }

    @Test
    void alarm_is_removed_with_the_last_lease() {
        batch.look(10);

        batch.leave();
        assertThat(times()).containsExactly(10L);

        batch.leave();
        assertThat(times()).isEmpty();
    }

    /** Its leases are closed while a call renews them, and its answer comes later. */
    @Test
    void batch_without_leases_gets_no_alarm() {
        batch.beginRenewal();
        batch.leave();
        batch.leave();

        batch.lookWhileRenewed(10);
        batch.renewAt = 20;
        batch.endRenewal(true);

        assertThat(times()).isEmpty();
    }

    @Test
    void renewal_that_has_ended_sets_the_alarm_to_the_next_one() {
        batch.beginRenewal();
        batch.lookWhileRenewed(30);
        batch.renewAt = 20;

        batch.endRenewal(true);

        assertThat(batch.isBeingRenewed()).isFalse();
        assertThat(times()).containsExactly(20L);
    }

    @Test
    void renewal_after_which_none_stays_leaves_no_alarm() {
        batch.beginRenewal();
        batch.lookWhileRenewed(30);

        batch.endRenewal(false);

        assertThat(times()).isEmpty();
    }

    /** The clock thread has computed it while the renewal was under way: it would put off the next renewal. */
    @Test
    void deadline_that_comes_after_the_end_of_the_renewal_is_no_alarm() {
        batch.beginRenewal();
        batch.renewAt = 20;
        batch.endRenewal(true);

        batch.lookWhileRenewed(30);

        assertThat(times()).containsExactly(20L);
    }
}
