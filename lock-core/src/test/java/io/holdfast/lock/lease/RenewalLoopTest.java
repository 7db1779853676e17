package io.holdfast.lock.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one thread does with the batches that are waiting for it, and what it plans next. */
class RenewalLoopTest extends LeaseKeeperFixture {

    private static final Duration THIRD = LEASE.dividedBy(3);

    private final Plans plans = new Plans();
    private final Answers answers = new Answers();
    private final RenewalLoop loop = new RenewalLoop(answers, events, time, plans);

    /** Remembers what is planned. */
    private static final class Plans implements RenewalLoop.Planner {

        private final Map<Lease, Long> alone = new LinkedHashMap<>();
        private final Map<Lease, Long> inBatch = new LinkedHashMap<>();
        private final Map<Batch<Lease>, Boolean> through = new LinkedHashMap<>();

        @Override
        public void renewAt(Lease lease, long nanos) {
            alone.put(lease, nanos);
        }

        @Override
        public boolean renewAt(Lease lease, Batch<Lease> batch, long nanos) {
            inBatch.put(lease, nanos);
            return nanos == batch.renewAt;
        }

        @Override
        public void renewed(Batch<Lease> batch, boolean anyStays) {
            through.put(batch, anyStays);
        }
    }

    /** Answers late, and cannot renew the lock of one key. */
    private final class Answers extends StoreSpy {

        private final LockKey broken = LockKey.of("broken");
        private Duration late = Duration.ZERO;

        Answers() {
            super(store);
        }

        @Override
        public List<RenewReply> renew(List<RenewRequest> requests) {
            List<RenewReply> replies = super.renew(requests);
            time.pass(late);
            return IntStream.range(0, requests.size())
                    .mapToObj(i -> requests.get(i).key().equals(broken)
                            ? new RenewReply.Failed("its server is down")
                            : replies.get(i))
                    .toList();
        }
    }

    private Lease lease(String key) {
        return unwatched(LockKey.of(key), LEASE);
    }

    private Batch<Lease> batch(Lease... leases) {
        return new Batch<>(new Alarms<>(), List.of(leases));
    }

    private Batch<Lease> batchOf(int size) {
        String name = "batch" + time.nanos();
        time.pass(Duration.ofMillis(1));
        return batch(
                IntStream.range(0, size).mapToObj(i -> lease(name + ":" + i)).toArray(Lease[]::new));
    }

    private List<Integer> sizes() {
        return answers.renewals.stream().map(List::size).toList();
    }

    @Test
    void batches_are_renewed_by_one_call_as_long_as_they_are_600_together() {
        loop.work(List.of(batchOf(200), batchOf(400)));

        assertThat(sizes()).containsExactly(600);
        assertThat(plans.through).hasSize(2);
    }

    @Test
    void batches_that_are_more_than_600_together_are_renewed_one_after_the_other() {
        loop.work(List.of(batchOf(201), batchOf(400), batchOf(150), batchOf(51)));

        assertThat(sizes()).containsExactly(201, 550, 51);
    }

    @Test
    void renewed_lease_is_renewed_again_a_third_of_it_after_the_call_was_sent_together_with_its_batch() {
        Batch<Lease> batch = batchOf(2);
        answers.late = Duration.ofSeconds(2);
        long sentAt = time.nanos();

        loop.work(List.of(batch));

        assertThat(batch.renewAt).isEqualTo(sentAt + THIRD.toNanos());
        assertThat(plans.inBatch.values()).containsOnly(batch.renewAt).hasSize(2);
        assertThat(plans.through).containsExactly(entry(batch, true));
        assertThat(events.took).containsExactly(Duration.ofSeconds(2));
    }

    @Test
    void batch_of_which_nothing_is_held_any_more_is_through_without_a_call() {
        Lease closed = lease("a");
        closed.abandon();
        Batch<Lease> batch = batch(closed);

        loop.work(List.of(batch));

        assertThat(answers.renewals).isEmpty();
        assertThat(plans.through).containsExactly(entry(batch, false));
    }

    @Test
    void batch_whose_call_failed_is_through_and_its_leases_are_tried_again_after_a_second_on_their_own() {
        Lease lease = lease("a");
        Batch<Lease> batch = batch(lease);
        answers.reachable(false);

        loop.work(List.of(batch));

        assertThat(plans.alone).containsExactly(entry(lease, time.nanos() + 1_000_000_000L));
        assertThat(plans.through).containsExactly(entry(batch, false));
        assertThat(events.renewalFailed).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"2000, 200", "9990, 999", "10010, 1000", "110, 11", "90, 10"})
    void lease_whose_renewal_failed_is_tried_again_after_a_tenth_of_it_between_10_ms_and_a_second(
            int leaseMillis, int retryMillis) {
        Lease lease = unwatched(LockKey.of("a"), Duration.ofMillis(leaseMillis));
        answers.reachable(false);

        loop.work(List.of(batch(lease)));

        long retryAt = time.nanos() + Duration.ofMillis(retryMillis).toNanos();
        assertThat(plans.alone).containsExactly(entry(lease, retryAt));
    }

    @Test
    void lease_that_is_not_to_be_renewed_is_looked_at_again_after_a_third_of_it_if_the_call_failed() {
        Lease lease = lease("a");
        lease.stopRenewing();
        answers.reachable(false);

        loop.work(List.of(batch(lease)));

        assertThat(plans.alone).containsExactly(entry(lease, time.nanos() + THIRD.toNanos()));
        assertThat(events.renewalFailed).isEmpty();
    }

    @Test
    void lease_that_a_store_could_not_renew_is_told_and_tried_again_and_the_others_are_renewed() {
        Lease broken = unwatched(answers.broken, LEASE);
        Lease other = lease("a");
        Batch<Lease> batch = batch(broken, other);

        loop.work(List.of(batch));

        assertThat(plans.alone).containsOnlyKeys(broken);
        assertThat(plans.inBatch).containsOnlyKeys(other);
        assertThat(plans.through).containsExactly(entry(batch, true));
        assertThat(events.renewed).containsExactly(1);
        assertThat(events.renewalFailed).singleElement().satisfies(event -> {
            assertThat(event.keys()).containsExactly(answers.broken);
            assertThat(event.failure()).hasMessageContaining("its server is down");
        });
    }

    @Test
    void loss_after_a_renewal_that_the_store_could_not_do_names_its_reason() {
        Lease broken = unwatched(answers.broken, LEASE);
        loop.work(List.of(batch(broken)));

        time.pass(LEASE);

        assertThat(broken.loss().failure()).hasMessageContaining("its server is down");
    }
}
