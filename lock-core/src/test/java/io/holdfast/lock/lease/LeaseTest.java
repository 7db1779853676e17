package io.holdfast.lock.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LeaseTest {

    private final FakeTicker time = new FakeTicker();
    private final RecordedEvents events = new RecordedEvents();

    private Lease lease() {
        return lease(LeaseTerms.UNLIMITED);
    }

    private Lease lease(long maxHoldNanos) {
        LeaseTerms terms = new LeaseTerms(Duration.ofSeconds(30).toNanos(), maxHoldNanos, Long.MAX_VALUE);
        return lease(terms, 1);
    }

    private Lease lease(LeaseTerms terms, long sequence) {
        long now = time.nanos();
        var grant = new Grant(LockKey.of("k"), "", new OwnerId("c", sequence), 7, true, now, now + terms.leaseNanos());
        return new Lease(grant, terms, time, events);
    }

    @Test
    void leases_that_were_granted_together_do_not_collide_in_a_map() {
        LeaseTerms terms = new LeaseTerms(Duration.ofSeconds(30).toNanos(), LeaseTerms.UNLIMITED, Long.MAX_VALUE);
        assertThat(LongStream.range(0, 100).mapToObj(i -> lease(terms, i)).mapToInt(Lease::hashCode))
                .doesNotHaveDuplicates();
    }

    @Test
    void handle_ends_with_the_thread_that_opened_it_not_with_the_one_that_acquired_the_lock() {
        Lease lease = NewThread.call(this::lease); // by a thread that is dead now
        lease.bind();
        assertThat(lease.isBoundThreadDead()).isFalse();
        lease.unbind();

        NewThread.call(() -> {
            lease.bind();
            return null;
        });

        Awaitility.await().until(lease::isBoundThreadDead);
    }

    @Test
    void renewal_is_late_after_one_has_failed_until_one_goes_through() {
        Lease lease = lease();
        lease.startRenewing();
        assertThat(lease.isRenewalLate()).isFalse();

        lease.renewalFailed(new IllegalStateException("on purpose"));
        assertThat(lease.isRenewalLate()).isTrue();

        lease.extendTo(time.nanos() + lease.leaseNanos());
        assertThat(lease.isRenewalLate()).isFalse();
    }

    @Test
    void renewal_is_late_when_two_thirds_of_a_renewed_lease_have_gone_by() {
        Lease lease = lease();
        lease.startRenewing();
        time.pass(Duration.ofSeconds(20));
        lease.extendTo(time.nanos() + lease.leaseNanos());

        time.pass(Duration.ofSeconds(19));
        assertThat(lease.isRenewalLate()).isFalse();
        time.pass(Duration.ofSeconds(2));
        assertThat(lease.isRenewalLate()).isTrue();
    }

    @Test
    void lease_that_is_not_to_be_renewed_is_never_late() {
        Lease lease = lease();
        lease.renewalFailed(new IllegalStateException("on purpose"));
        time.pass(Duration.ofSeconds(29));

        assertThat(lease.isRenewalLate()).isFalse();
    }

    @Test
    void lost_lease_is_lost_and_not_late() {
        Lease lease = lease();
        lease.startRenewing();
        time.pass(Duration.ofSeconds(30));

        assertThat(lease.isRenewalLate()).isFalse();
    }

    @Test
    void lock_is_downgraded_by_the_last_handle_that_needs_it_alone() {
        Lease lease = lease();
        lease.enter(true);
        lease.enter(false);

        assertThat(lease.exit(true, true)).isEqualTo(Lease.Exit.STAYS);
        assertThat(lease.isExclusive()).isTrue();
        assertThat(lease.exit(true, true)).isEqualTo(Lease.Exit.DOWNGRADES);
        assertThat(lease.isExclusive()).isFalse();
        assertThat(lease.exit(true, false)).isEqualTo(Lease.Exit.ENDS);
    }

    @Test
    void lock_that_is_not_held_alone_any_more_is_not_entered_as_such() {
        Lease lease = lease();
        lease.enter(false);
        lease.exit(true, true);

        assertThat(lease.enter(true)).isEqualTo(Lease.Entry.NOT_ALONE);
        assertThat(lease.enter(false)).isEqualTo(Lease.Entry.ENTERED);
    }

    @Test
    void only_the_last_handle_ends_the_lease() {
        Lease lease = lease();
        assertThat(lease.enter(true)).isEqualTo(Lease.Entry.ENTERED);

        assertThat(lease.exit(true, true)).isEqualTo(Lease.Exit.STAYS);
        assertThat(lease.isOpen()).isTrue();
        assertThat(lease.exit(true, true)).isEqualTo(Lease.Exit.ENDS);
        assertThat(lease.isOpen()).isFalse();
    }

    @Test
    void closed_lease_cannot_be_entered() {
        Lease lease = lease();
        lease.exit(true, true);

        assertThat(lease.enter(true)).isEqualTo(Lease.Entry.NOTHING_TO_REENTER);
    }

    @Test
    void detached_lease_cannot_be_entered_but_is_open() {
        Lease lease = lease();
        lease.detach();

        assertThat(lease.enter(true)).isEqualTo(Lease.Entry.NOTHING_TO_REENTER);
        assertThat(lease.isOpen()).isTrue();
        assertThat(lease.exit(false, true)).isEqualTo(Lease.Exit.ENDS);
    }

    @Test
    void handle_that_is_detached_leaves_the_others_attached() {
        Lease lease = lease();
        lease.enter(true);

        lease.detach();

        assertThat(lease.holdCount()).isOne();
        assertThat(lease.enter(true)).isEqualTo(Lease.Entry.ENTERED);
    }

    @Test
    void detach_without_an_attached_handle_changes_nothing() {
        Lease lease = lease();
        lease.detach();

        lease.detach();

        assertThat(lease.holdCount()).isZero();
        assertThat(lease.exit(false, true)).isEqualTo(Lease.Exit.ENDS);
        assertThat(lease.isExclusive()).isFalse();
    }

    @Test
    void renewal_ends_at_the_very_moment_of_the_longest_hold() {
        Duration longest = Duration.ofSeconds(20);
        Lease lease = lease(longest.toNanos());
        lease.startRenewing();

        time.pass(longest.minusNanos(1));
        assertThat(lease.isRenewing()).isTrue();
        time.pass(Duration.ofNanos(1));
        assertThat(lease.isRenewing()).isFalse();
    }

    @Test
    void lease_that_was_closed_while_a_handle_is_being_detached_cannot_be_entered() {
        Lease lease = lease();
        assertThat(lease.exit(false, true)).isEqualTo(Lease.Exit.ENDS);

        assertThat(lease.enter(true)).isEqualTo(Lease.Entry.NOTHING_TO_REENTER);

        lease.detach();
        assertThat(lease.enter(true)).isEqualTo(Lease.Entry.NOTHING_TO_REENTER);
    }

    @Test
    void abandoned_lease_is_closed_for_good() {
        Lease lease = lease();
        assertThat(lease.abandon()).isTrue();

        lease.detach();

        assertThat(lease.enter(true)).isEqualTo(Lease.Entry.NOTHING_TO_REENTER);
        assertThat(lease.exit(true, true)).isEqualTo(Lease.Exit.STAYS);
        assertThat(lease.abandon()).isFalse();
    }

    @Test
    void first_question_after_the_deadline_finds_the_lease_lost() {
        Lease lease = lease();
        time.pass(Duration.ofSeconds(30));

        assertThat(lease.isLive()).isFalse();
        assertThat(events.lost).hasSize(1);
    }

    @Test
    void lease_is_live_until_just_before_its_deadline() {
        Lease lease = lease();
        time.pass(Duration.ofSeconds(30).minusNanos(1));

        assertThat(lease.isLive()).isTrue();
        assertThat(lease.remaining()).isEqualTo(Duration.ofNanos(1));
    }

    @Test
    void loss_is_told_once_and_keeps_its_first_cause() {
        Lease lease = lease();
        LockEvent.Lost first = lease.lose(LossCause.REVOKED);

        assertThat(lease.lose(LossCause.EXPIRED)).isSameAs(first);
        assertThat(events.lost).containsExactly(first);
    }

    @Test
    void acknowledged_deadline_never_moves_back() {
        Lease lease = lease();
        long far = time.nanos() + Duration.ofMinutes(10).toNanos();
        lease.extendTo(far);

        lease.extendTo(far - 1);

        assertThat(lease.deadline()).isEqualTo(far);
    }

    /** Nothing was due yet: only after a whole lease a renewal should have made it longer. */
    @Test
    void lease_that_was_just_granted_by_a_message_is_not_late() {
        LeaseTerms terms = new LeaseTerms(Duration.ofSeconds(30).toNanos(), LeaseTerms.UNLIMITED, Long.MAX_VALUE);
        Lease lease = reserved(terms, Duration.ofSeconds(3));
        lease.startRenewing();

        assertThat(lease.isRenewalLate()).isFalse();
    }

    private Lease reserved(LeaseTerms terms, Duration reserved) {
        long now = time.nanos();
        var grant = new Grant(LockKey.of("k"), "", new OwnerId("c", 1), 7, true, now, now + reserved.toNanos());
        return new Lease(grant, terms, time, events);
    }

    /** The store replaces a reservation by what is asked for, so a look at it asks for the rest. A lease is only looked at. */
    @Test
    void lease_that_was_confirmed_is_looked_at_and_a_reservation_is_asked_for_the_rest() {
        LeaseTerms terms = new LeaseTerms(Duration.ofSeconds(30).toNanos(), LeaseTerms.UNLIMITED, Long.MAX_VALUE);
        Lease lease = reserved(terms, Duration.ofSeconds(3));
        assertThat(lease.leastMillis()).isEqualTo(3_000);

        lease.extendTo(lease.deadline() + 1);

        assertThat(lease.leastMillis()).isEqualTo(Lease.LOOK_MILLIS);
    }

    @Test
    void deadline_cannot_be_moved_once_it_has_passed() {
        Lease lease = lease();
        time.pass(Duration.ofSeconds(30));

        lease.extendTo(time.nanos() + Duration.ofMinutes(10).toNanos());

        assertThat(lease.isLive()).isFalse();
    }

    @Test
    void closed_lease_is_not_lost_when_its_deadline_passes() {
        Lease lease = lease();
        lease.exit(true, true);
        time.pass(Duration.ofMinutes(1));

        assertThat(lease.loss()).isNull();
        assertThat(events.lost).isEmpty();
    }

    @Test
    void loss_actions_run_once() {
        Lease lease = lease();
        List<LockEvent.Lost> told = new ArrayList<>();
        var action = lease.addLossAction(told::add);
        LockEvent.Lost loss = lease.lose(LossCause.REVOKED);

        lease.tellLoss(loss, Runnable::run);
        action.accept(loss);

        assertThat(told).containsExactly(loss);
    }
}
