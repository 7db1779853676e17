package io.holdfast.lock.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.RenewRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Somebody says that a lock was taken away; only the store knows. */
class DoubtTest extends LeaseKeeperFixture {

    private static final Duration A_MOMENT = Duration.ofMillis(1);

    private Lease held() {
        Lease lease = acquired(KEY, LEASE, true);
        pass(Duration.ofSeconds(2));
        return lease;
    }

    private List<RenewRequest> asked() {
        return store.renewals.stream().flatMap(List::stream).toList();
    }

    @Test
    void lock_that_was_taken_away_is_lost_as_soon_as_somebody_says_so() {
        Lease lease = held();
        store.forceRelease(KEY);
        keeper.doubt(lease);
        pass(A_MOMENT);
        assertThat(events.lost).extracting(loss -> loss.cause()).containsExactly(LossCause.REVOKED);
    }

    /** The message may be heard while the thread that was granted the lock is on its way to the keeper. */
    @Test
    void doubt_that_comes_before_the_lease_is_watched_is_not_forgotten() {
        Lease lease = unwatched(KEY, LEASE);
        store.forceRelease(KEY);
        keeper.doubt(lease);

        keeper.watch(lease);
        pass(A_MOMENT);

        assertThat(events.lost).extracting(loss -> loss.cause()).containsExactly(LossCause.REVOKED);
    }

    @Test
    void what_is_said_is_not_believed() {
        Lease lease = held();
        keeper.doubt(lease);
        pass(A_MOMENT);
        assertThat(asked()).hasSize(1);
        assertThat(events.lost).isEmpty();
        assertThat(lease.isLive()).isTrue();
        pass(Duration.ofSeconds(40));
        assertThat(asked()).as("renewed every third of the lease again").hasSize(5);
    }

    @Test
    void forged_messages_cost_a_renewal_every_tenth_of_a_second_at_most() {
        Lease lease = held();
        for (int i = 0; i < 1000; i++) {
            keeper.doubt(lease);
            time.pass(A_MOMENT);
            keeper.tick();
            keeper.renewDue();
            keeper.doubt(lease);
        }
        assertThat(asked()).hasSizeBetween(9, 11);
    }

    /** Its answer may be older than the message. */
    @Test
    void renewal_that_is_under_way_does_not_settle_a_doubt() {
        Lease lease = held();
        store.afterNextCallHere(() -> {
            store.forceRelease(KEY);
            keeper.doubt(lease);
        });
        pass(Duration.ofSeconds(10));
        assertThat(events.lost).extracting(loss -> loss.cause()).containsExactly(LossCause.REVOKED);
        assertThat(asked()).hasSize(2);
    }

    @Test
    void fixed_lease_is_asked_for_and_not_made_longer() {
        Lease lease = acquired(KEY, LEASE, false);
        pass(Duration.ofSeconds(2));
        keeper.doubt(lease);
        pass(A_MOMENT);
        assertThat(asked())
                .singleElement()
                .satisfies(request -> assertThat(request.leaseMillis()).isEqualTo(1));
        assertThat(lease.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(28));
        assertThat(store.inspect(KEY).holder().orElseThrow().remaining()).isLessThanOrEqualTo(Duration.ofSeconds(28));

        store.forceRelease(KEY);
        pass(Duration.ofSeconds(1));
        keeper.doubt(lease);
        pass(A_MOMENT);
        assertThat(events.lost).extracting(loss -> loss.cause()).containsExactly(LossCause.REVOKED);
    }

    @Test
    void closed_lease_is_not_asked_for() {
        Lease lease = held();
        lease.exit(true, true);
        keeper.forget(lease);
        keeper.doubt(lease);
        pass(Duration.ofSeconds(1));
        assertThat(asked()).isEmpty();
        assertThat(keeper.watched()).isEmpty();
    }

    @Test
    void first_long_hold_is_noticed_after_a_second_and_once() {
        List<Long> noticed = new ArrayList<>();
        long start = time.nanos();
        keeper.onFirstLongHold(() -> noticed.add(time.nanos() - start));
        Lease brief = acquired(KEY, LEASE, true);
        pass(Duration.ofMillis(900));
        brief.exit(true, true);
        keeper.forget(brief);
        pass(Duration.ofMillis(900));
        assertThat(noticed).isEmpty();

        acquired(LockKey.of("order:43"), LEASE, true);
        pass(Duration.ofMillis(2000));
        assertThat(noticed)
                .singleElement()
                .satisfies(at ->
                        assertThat(Duration.ofNanos(at)).isBetween(Duration.ofMillis(2800), Duration.ofMillis(2830)));
    }
}
