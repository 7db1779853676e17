package io.holdfast.lock.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Which leases are renewed when, and in which calls. One of 30 s is due after 10 s, and taken along in the 2.5 s before. */
class LeaseKeeperCallsTest extends LeaseKeeperFixture {

    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");
    private static final LockKey C = LockKey.of("c");

    private static List<LockKey> keys(List<RenewRequest> call) {
        return call.stream().map(RenewRequest::key).toList();
    }

    @Test
    void leases_that_are_due_soon_are_renewed_in_the_same_call() {
        acquired(A, LEASE, true);
        time.pass(Duration.ofMillis(2_500));
        acquired(B, LEASE, true);
        time.pass(Duration.ofMillis(1));
        acquired(C, LEASE, true);

        passAtOnce(Duration.ofMillis(7_499));

        assertThat(store.renewals).hasSize(1);
        assertThat(keys(store.renewals.get(0))).containsExactlyInAnyOrder(A, B);
    }

    @Test
    void leases_that_were_renewed_together_are_taken_along_by_another_one() {
        acquired(A, LEASE, true);
        acquired(B, LEASE, true);
        passAtOnce(Duration.ofSeconds(8));
        acquired(C, LEASE, true);
        passAtOnce(Duration.ofSeconds(2));
        assertThat(store.renewals).hasSize(1);

        passAtOnce(Duration.ofSeconds(8));

        assertThat(store.renewals).hasSize(2);
        assertThat(keys(store.renewals.get(1))).containsExactlyInAnyOrder(A, B, C);
    }

    @Test
    void lease_whose_terms_changed_is_renewed_once_when_its_former_batch_is_due_too() {
        Lease lease = acquired(A, LEASE, true);
        acquired(B, LEASE, true);
        passAtOnce(Duration.ofSeconds(10));
        keeper.reconsider(lease);

        passAtOnce(Duration.ofSeconds(10));

        assertThat(store.renewals).hasSize(2);
        assertThat(keys(store.renewals.get(1))).containsExactlyInAnyOrder(A, B);
    }

    @Test
    void lease_whose_terms_change_while_it_is_renewed_is_renewed_again_on_time() {
        Lease lease = acquired(A, LEASE, true);
        store.beforeNextCallHere(() -> keeper.reconsider(lease));
        passAtOnce(Duration.ofSeconds(10));

        passAtOnce(Duration.ofSeconds(10));

        assertThat(store.renewals).hasSize(2);
    }

    @Test
    void lease_that_is_looked_at_before_it_is_due_is_renewed_when_it_is() {
        var warned = new LeaseTerms(
                LEASE.toNanos(), LeaseTerms.UNLIMITED, Duration.ofSeconds(4).toNanos());
        acquired(A, warned, true, null);
        passAtOnce(Duration.ofSeconds(4));
        assertThat(events.longHeld).hasSize(1);
        assertThat(store.renewals).isEmpty();

        passAtOnce(Duration.ofSeconds(6));

        assertThat(store.renewals).hasSize(1);
    }

    @Test
    void closed_lease_wakes_nobody() {
        Lease lease = acquired(A, LEASE, true);
        lease.exit(true, true);

        keeper.forget(lease);

        assertThat(keeper.tick() - time.nanos()).isEqualTo(Duration.ofHours(1).toNanos());
    }

    @Test
    void lease_that_was_closed_while_its_terms_change_wakes_nobody() {
        Lease lease = acquired(A, LEASE, true);
        lease.exit(true, true);

        keeper.reconsider(lease);

        assertThat(keeper.tick() - time.nanos()).isEqualTo(Duration.ofHours(1).toNanos());
    }

    @Test
    void hold_of_less_than_a_second_is_not_long() {
        var longHolds = new AtomicInteger();
        keeper.onFirstLongHold(longHolds::incrementAndGet);
        acquired(A, Duration.ofMillis(1_500), true);

        passAtOnce(Duration.ofMillis(999));
        assertThat(longHolds).hasValue(0);

        passAtOnce(Duration.ofMillis(501));
        assertThat(longHolds).hasValue(1);
    }

    /** The clock thread sleeps until the first lease is due. */
    @Test
    void lease_that_is_due_before_all_others_wakes_the_clock() {
        try (LeaseKeeper real = new LeaseKeeper(store, events, Ticker.SYSTEM)) {
            real.watch(watched(A, Duration.ofMinutes(5)));
            Awaitility.await()
                    .pollDelay(Duration.ofMillis(300))
                    .until(() -> real.watched().size() == 1);

            real.watch(watched(B, Duration.ofSeconds(6)));

            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() ->
                            store.renewals.stream().anyMatch(call -> keys(call).contains(B)));
        }
    }

    private Lease watched(LockKey key, Duration length) {
        long now = System.nanoTime();
        var grant = new Grant(key, "", new OwnerId("client", now), 1, true, now, now + length.toNanos());
        Lease lease = new Lease(grant, terms(length), Ticker.SYSTEM, events);
        lease.startRenewing();
        return lease;
    }
}
