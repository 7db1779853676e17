package io.holdfast.lock.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.testing.StoreSpy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which batches are renewed as they are, and how the rest is put together. */
class DueLeasesTest extends LeaseKeeperFixture {

    private static final int MANY = RenewalLoop.MOST_AT_ONCE * 3 / 5;

    private final Alarms<Batch<Lease>> alarms = new Alarms<>();
    private final LeaseSchedule schedule = new LeaseSchedule(alarms, time, new LongHolds(events), at -> {});
    private boolean moved;
    private final StoreSpy servers = new StoreSpy(store) {
        @Override
        public String serverOf(LockKey key) {
            return moved && key.value().endsWith("7") ? "other" : "one";
        }
    };

    private DueLeases dueNow() {
        return new DueLeases(servers, time.nanos());
    }

    private List<Lease> leases(int number) {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            leases.add(unwatched(LockKey.of("key:" + time.nanos() + ":" + i), LEASE));
        }
        return leases;
    }

    /** Were renewed together, and are due again. */
    private Batch<Lease> due(List<Lease> leases) {
        Batch<Lease> batch = schedule.renewTogether(leases, time.nanos());
        batch.renewAt = time.nanos() + LEASE.dividedBy(3).toNanos();
        boolean anyStays = false;
        for (Lease lease : leases) {
            anyStays |= schedule.renewAt(lease, batch, batch.renewAt);
        }
        schedule.renewed(batch, anyStays);
        time.pass(LEASE.dividedBy(3));
        return batch;
    }

    private Map<String, List<Batch<Lease>>> renewed(Batch<Lease> batch) {
        DueLeases due = dueNow();
        due.add(batch, batch.leases());
        return due.renew(schedule);
    }

    @Test
    void big_batch_is_renewed_as_it_is() {
        Batch<Lease> batch = due(leases(MANY));

        assertThat(renewed(batch)).containsOnlyKeys("one").containsEntry("one", List.of(batch));
        assertThat(batch.isBeingRenewed()).isTrue();
        assertThat(batch.leases()).allMatch(lease -> lease.isIn(batch) && lease.renewalPending);
    }

    @Test
    void batch_of_which_some_have_moved_to_another_server_is_divided() {
        Batch<Lease> batch = due(leases(MANY));
        moved = true;

        Map<String, List<Batch<Lease>>> renewed = renewed(batch);

        assertThat(renewed).containsOnlyKeys("one", "other");
        assertThat(renewed.get("one"))
                .singleElement()
                .satisfies(one ->
                        assertThat(one.leases()).hasSize(MANY - MANY / 10).allMatch(lease -> lease.isIn(one)));
        assertThat(renewed.get("other"))
                .singleElement()
                .satisfies(
                        other -> assertThat(other.leases()).hasSize(MANY / 10).allMatch(lease -> lease.isIn(other)));
    }

    @Test
    void small_batches_are_put_together() {
        DueLeases due = dueNow();
        for (int i = 0; i < 2; i++) {
            Batch<Lease> batch = due(leases(200));
            due.add(batch, batch.leases());
        }

        assertThat(due.renew(schedule).get("one"))
                .singleElement()
                .satisfies(batch -> assertThat(batch.leases()).hasSize(400));
    }

    @Test
    void lease_that_has_left_a_batch_is_taken_along_once() {
        Batch<Lease> batch = due(leases(2));
        schedule.lookAlone(batch.leases().get(0));
        DueLeases due = dueNow();

        due.takeAlong(alarms);

        assertThat(due.renew(schedule).get("one"))
                .singleElement()
                .satisfies(
                        together -> assertThat(together.leases()).containsExactlyInAnyOrderElementsOf(batch.leases()));
    }

    /** Else the clock wakes for it once more, and finds nobody. */
    @Test
    void batch_whose_leases_were_all_put_together_with_others_has_no_alarm_any_more() {
        due(leases(2));
        due(leases(2));
        DueLeases due = dueNow();

        due.takeAlong(alarms);
        Batch<Lease> together = due.renew(schedule).get("one").get(0);

        assertThat(together.leases()).hasSize(4);
        assertThat(alarms).extracting(Alarms.Alarm::subject).containsExactly(together);
    }

    @Test
    void leases_of_a_big_batch_are_lost_at_their_deadline_while_it_is_renewed() {
        Batch<Lease> batch = due(leases(MANY));
        assertThat(alarms.pollDue(time.nanos())).isNotNull(); // as the clock thread does

        renewed(batch);

        long deadline = batch.leases().get(0).deadline();
        assertThat(alarms.firstAt(deadline + 1)).isEqualTo(deadline);
    }

    /** Each of its leases has its next renewal, and the batch is still without. */
    @Test
    void batch_whose_renewal_is_about_to_end_is_not_taken_along() {
        Batch<Lease> batch = due(leases(MANY));
        batch.beginRenewal();
        DueLeases due = dueNow();

        due.takeAlong(alarms);

        assertThat(due.isEmpty()).isTrue();
    }
}
