package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.ReleaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases that are renewed together stay together, and each is looked after as if it were alone. */
class ManyHoldsTest extends WatchdogFixture {

    /** Enough of them stay one batch from renewal to renewal. */
    private List<Hold> batch(Terms terms) {
        List<Hold> holds = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            holds.add(acquired(LockKey.of("batch:" + i), terms, true, null));
        }
        pass(LEASE);
        store.renewals.clear();
        return holds;
    }

    private void release(Hold hold) {
        close(hold);
        store.release(new ReleaseRequest(hold.key(), hold.owner()));
    }

    private List<Integer> renewedAtOnce() {
        return store.renewals.stream().map(List::size).distinct().toList();
    }

    @Test
    void leases_that_were_renewed_together_are_renewed_together_again() {
        List<Hold> holds = batch(terms(LEASE));

        pass(LEASE.multipliedBy(3));

        assertThat(store.renewals).hasSizeBetween(8, 9);
        assertThat(renewedAtOnce()).containsExactly(300);
        assertThat(holds).allMatch(Hold::isLive);
    }

    @Test
    void lease_that_is_closed_leaves_its_batch() {
        List<Hold> holds = batch(terms(LEASE));
        release(holds.get(7));

        assertThat(watched()).hasSize(299).doesNotContain(holds.get(7));
        pass(LEASE);

        assertThat(renewedAtOnce()).containsExactly(299);
        assertThat(events.lost).isEmpty();
    }

    @Test
    void lease_whose_terms_change_leaves_its_batch() {
        List<Hold> holds = batch(terms(LEASE));
        Hold longer = holds.get(7);
        longer.raiseLease(LEASE.toNanos() * 10);

        pass(LEASE);
        store.renewals.clear();
        pass(LEASE.multipliedBy(10));

        assertThat(renewedAtOnce()).contains(299);
        assertThat(store.renewals.stream()
                        .flatMap(List::stream)
                        .filter(request -> request.key().equals(longer.key())))
                .hasSizeBetween(3, 4);
        assertThat(holds).allMatch(Hold::isLive);
    }

    @Test
    void leases_of_a_batch_are_lost_on_time_while_their_renewal_hangs() {
        List<Hold> holds = batch(terms(LEASE));
        long deadline = holds.get(0).deadline();
        while (deadline - time.nanos() > 0) {
            assertThat(events.lost).isEmpty();
            time.pass(Duration.ofNanos(Math.min(watchdog.tick(), deadline) - time.nanos()));
        }

        watchdog.tick();

        assertThat(events.lost).hasSize(300);
        assertThat(watchdog.tick()).isGreaterThan(time.nanos());
    }

    @Test
    void every_lease_of_a_batch_is_reported_once_when_it_is_held_for_long() {
        batch(Holds.terms(
                "", LEASE.toNanos(), Terms.UNLIMITED, Duration.ofSeconds(45).toNanos()));

        pass(LEASE.multipliedBy(5));

        assertThat(events.longHeld).hasSize(300);
        assertThat(events.longHeld)
                .allSatisfy(
                        event -> assertThat(event.heldFor()).isBetween(Duration.ofSeconds(45), Duration.ofSeconds(47)));
    }

    @Test
    void batch_whose_renewal_fails_is_tried_again() {
        List<Hold> holds = batch(terms(LEASE));
        store.reachable(false);
        pass(LEASE.dividedBy(2));
        assertThat(events.renewalFailed).isNotEmpty();
        store.reachable(true);

        pass(LEASE.multipliedBy(3));

        assertThat(holds).allMatch(Hold::isLive);
        assertThat(watched()).hasSize(300);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void every_open_lease_is_watched_and_none_is_lost_whatever_happens_to_others(long seed) {
        Random random = new Random(seed);
        List<Hold> open = new ArrayList<>();
        for (int step = 0; step < 3_000; step++) {
            int dice = random.nextInt(100);
            if (dice < 40 && open.size() < 700) {
                Duration lease = LEASE.multipliedBy(1 + random.nextInt(3));
                open.add(acquired(LockKey.of("random:" + step), lease, true));
            } else if (dice < 60 && !open.isEmpty()) {
                release(open.remove(random.nextInt(open.size())));
            } else if (dice < 65 && !open.isEmpty()) {
                watchdog.doubt(open.get(random.nextInt(open.size())));
            } else if (dice < 80) {
                renewDue();
            } else if (dice < 81) {
                store.reachable(false);
                renewDue();
                store.reachable(true);
            } else {
                long next = watchdog.tick() - time.nanos();
                time.pass(Duration.ofNanos(
                        Math.max(0, Math.min(next, Duration.ofMillis(300).toNanos()))));
                watchdog.tick();
            }
            assertThat(events.lost).isEmpty();
            assertThat(watched()).hasSameSizeAs(open);
        }
        renewDue();
        pass(LEASE.multipliedBy(4));

        assertThat(watched()).containsExactlyInAnyOrderElementsOf(open);
        assertThat(open).allMatch(Hold::isLive);
        assertThat(events.lost).isEmpty();
    }
}
