package io.holdfast.lock.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which batch a lease is in, and whom its next alarm wakes. */
class LeaseScheduleTest extends LeaseKeeperFixture {

    private final List<Long> woken = new ArrayList<>();
    private final Alarms<Batch<Lease>> alarms = new Alarms<>();
    private final LeaseSchedule schedule = new LeaseSchedule(alarms, time, new LongHolds(events), woken::add);

    private Lease lease(String key) {
        return unwatched(LockKey.of(key), LEASE);
    }

    @Test
    void clock_is_woken_for_a_lease_that_is_looked_at_alone() {
        schedule.watch(lease("a"));

        assertThat(woken).containsExactly(time.nanos() + LEASE.dividedBy(3).toNanos());
    }

    /** It sleeps until the first deadline, which comes later than the next renewal. */
    @Test
    void clock_is_woken_for_the_next_renewal_of_a_batch() {
        Lease lease = lease("a");
        Batch<Lease> batch = schedule.renewTogether(List.of(lease), time.nanos());
        batch.renewAt = time.nanos() + LEASE.dividedBy(3).toNanos();
        boolean stays = schedule.renewAt(lease, batch, batch.renewAt);
        assertThat(stays).isTrue();
        assertThat(woken).isEmpty();

        schedule.renewed(batch, stays);

        assertThat(woken).containsExactly(batch.renewAt);
    }

    @Test
    void lease_that_is_closed_before_it_joins_a_batch_stays_outside() {
        Lease closed = lease("a");
        Lease other = lease("b");
        closed.abandon();
        schedule.forget(closed);

        Batch<Lease> batch = schedule.renewTogether(List.of(closed, other), time.nanos());
        assertThat(closed.isIn(batch)).isFalse();
        other.abandon();
        schedule.forget(other);

        assertThat(alarms).as("alarms of a batch that nobody belongs to").isEmpty();
    }
}
