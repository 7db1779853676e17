package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.ManualThreads;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which leases are renewed when, and in which calls. One of 30 s is due after 10 s, and taken along in the 2.5 s before. */
class WatchdogCallsTest extends WatchdogFixture {

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
    void lease_that_is_looked_at_before_it_is_due_is_renewed_when_it_is() {
        var warned = Holds.terms(
                "", LEASE.toNanos(), Terms.UNLIMITED, Duration.ofSeconds(4).toNanos());
        acquired(A, warned, true, null);
        passAtOnce(Duration.ofSeconds(4));
        assertThat(events.longHeld).hasSize(1);
        assertThat(store.renewals).isEmpty();

        passAtOnce(Duration.ofSeconds(6));

        assertThat(store.renewals).hasSize(1);
    }

    @Test
    void closed_lease_wakes_nobody() {
        Hold hold = acquired(A, LEASE, true);
        close(hold);

        assertThat(watchdog.tick() - time.nanos()).isEqualTo(Duration.ofHours(1).toNanos());
    }

    /** Grants by message come at a high rate, and each has to be confirmed 20 ms later. */
    @Test
    void calls_are_shared_by_grants_that_are_confirmed_soon() {
        for (int i = 0; i < 1000; i++) {
            acquired(LockKey.of("many:" + i), LEASE, Duration.ofMillis(1500));
            passAtOnce(Duration.ofMillis(1));
        }

        assertThat(store.renewals).hasSizeLessThan(60);
    }

    @Test
    void at_most_600_are_renewed_by_one_call() {
        for (int i = 0; i < 1300; i++) {
            acquired(LockKey.of("many:" + i), LEASE, true);
        }

        passAtOnce(LEASE.dividedBy(3));

        assertThat(store.renewals).extracting(List::size).containsExactly(600, 600, 100);
    }

    /** A server that hangs must not delay the others. */
    @Test
    void holds_on_two_servers_are_renewed_by_two_calls() {
        StoreSpy servers = new StoreSpy(store) {
            @Override
            public String serverOf(LockKey key) {
                return key.equals(A) ? "one" : "other";
            }
        };
        ManualThreads threads = new ManualThreads();
        HeldLocks own = locks(servers, threads);
        own.add(unwatched(A, LEASE), new HashMap<>());
        own.add(unwatched(B, LEASE), new HashMap<>());

        time.pass(LEASE.dividedBy(3));
        own.watchdog.tick();
        threads.run();

        assertThat(servers.renewals).hasSize(2);
    }
}
