package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class HoldTest {

    private final FakeTicker time = new FakeTicker();
    private final RecordedEvents events = new RecordedEvents();

    private static final Terms TERMS = terms(Terms.UNLIMITED);

    private Hold hold() {
        return hold(Terms.UNLIMITED);
    }

    private static Hold.Use first(Hold hold) {
        return hold.uses.get(0);
    }

    private static Hold.Use enter(Hold hold, Terms terms) {
        return Objects.requireNonNull(hold.enter(terms, null));
    }

    private Hold hold(long maxHoldNanos) {
        return hold(terms(maxHoldNanos), 1);
    }

    private static Terms terms(long maxHoldNanos) {
        return Holds.terms("", Duration.ofSeconds(30).toNanos(), maxHoldNanos, Long.MAX_VALUE);
    }

    private Hold hold(Terms terms, long sequence) {
        return hold(terms, sequence, Duration.ofNanos(terms.leaseNanos()));
    }

    private Hold hold(Terms terms, long sequence, Duration granted) {
        long now = time.nanos();
        return Holds.hold(
                LockKey.of("k"),
                terms,
                new OwnerId("c", sequence),
                7,
                now,
                now + granted.toNanos(),
                time,
                events::lost);
    }

    @Test
    void handle_ends_with_the_thread_that_opened_it_not_with_the_one_that_acquired_the_lock() {
        Hold hold = NewThread.call(this::hold); // by a thread that is dead now
        assertThat(hold.isBoundThreadDead()).isFalse();
        hold.exit(first(hold));

        Hold.Use use = NewThread.call(() -> hold.open(TERMS, Thread.currentThread()));

        Awaitility.await().until(hold::isBoundThreadDead);
        hold.detach(use);
        assertThat(hold.isBoundThreadDead()).isFalse();
    }

    @Test
    void handle_of_another_thread_keeps_the_lock_of_a_dead_one() throws Exception {
        Hold hold = hold();
        hold.exit(first(hold));
        Thread dead = new Thread(() -> {});
        dead.start();
        dead.join();
        hold.open(TERMS, dead);
        Hold.Use other = hold.open(TERMS, null);
        assertThat(hold.isBoundThreadDead()).isFalse();

        hold.exit(other);

        assertThat(hold.isBoundThreadDead()).isTrue();
    }

    @Test
    void lease_is_renewed_for_as_long_as_a_use_that_requires_it_is_open() {
        Hold hold = hold(Holds.fixed(TERMS), 1);
        assertThat(hold.isRenewing()).isFalse();

        Hold.Use inner = enter(hold, TERMS);
        Hold.Use innermost = enter(hold, TERMS);
        hold.exit(innermost);
        assertThat(hold.isRenewing()).isTrue();

        hold.exit(inner);
        assertThat(hold.isRenewing()).isFalse();
        assertThat(hold.isOpen()).isTrue();
    }

    @Test
    void renewal_is_late_after_one_has_failed_until_one_goes_through() {
        Hold hold = hold();
        assertThat(hold.isRenewalLate()).isFalse();

        hold.lastFailure = new IllegalStateException("on purpose");
        assertThat(hold.isRenewalLate()).isTrue();

        hold.extendTo(time.nanos() + hold.leaseNanos());
        assertThat(hold.isRenewalLate()).isFalse();
    }

    @Test
    void renewal_is_late_when_two_thirds_of_a_renewed_lease_have_gone_by() {
        Hold hold = hold();
        time.pass(Duration.ofSeconds(20));
        hold.extendTo(time.nanos() + hold.leaseNanos());

        time.pass(Duration.ofSeconds(19));
        assertThat(hold.isRenewalLate()).isFalse();
        time.pass(Duration.ofSeconds(2));
        assertThat(hold.isRenewalLate()).isTrue();
    }

    @Test
    void lease_that_is_not_to_be_renewed_is_never_late() {
        Hold hold = hold(Holds.fixed(TERMS), 1);
        hold.lastFailure = new IllegalStateException("on purpose");
        time.pass(Duration.ofSeconds(29));

        assertThat(hold.isRenewalLate()).isFalse();
    }

    @Test
    void lost_lease_is_lost_and_not_late() {
        Hold hold = hold();
        time.pass(Duration.ofSeconds(30));

        assertThat(hold.isRenewalLate()).isFalse();
    }

    @Test
    void lock_is_downgraded_by_the_last_handle_that_needs_it_alone() {
        Hold hold = hold();
        Hold.Use second = enter(hold, TERMS);
        Hold.Use shared = enter(hold, Holds.shared(TERMS));

        assertThat(hold.exit(first(hold))).isEqualTo(Hold.Exit.STAYS);
        assertThat(hold.isExclusive()).isTrue();
        assertThat(hold.exit(second)).isEqualTo(Hold.Exit.DOWNGRADES);
        assertThat(hold.isExclusive()).isFalse();
        assertThat(hold.exit(shared)).isEqualTo(Hold.Exit.ENDS);
    }

    @Test
    void lock_that_is_not_held_alone_any_more_is_not_entered_as_such() {
        Hold hold = hold();
        enter(hold, Holds.shared(TERMS));
        hold.exit(first(hold));

        assertThat(hold.enter(TERMS, null)).isNull();
        assertThat(hold.holdCount()).isOne();
        assertThat(hold.enter(Holds.shared(TERMS), null)).isNotNull();
    }

    @Test
    void only_the_last_handle_ends_the_lease() {
        Hold hold = hold();
        Hold.Use second = enter(hold, TERMS);

        assertThat(hold.exit(first(hold))).isEqualTo(Hold.Exit.STAYS);
        assertThat(hold.isOpen()).isTrue();
        assertThat(hold.exit(second)).isEqualTo(Hold.Exit.ENDS);
        assertThat(hold.isOpen()).isFalse();
    }

    @Test
    void closed_lease_cannot_be_entered() {
        Hold hold = hold();
        hold.exit(first(hold));

        assertThat(hold.enter(TERMS, null)).isNull();
        assertThat(hold.holdCount()).isZero();
    }

    @Test
    void detached_lease_cannot_be_entered_but_is_open() {
        Hold hold = hold();
        hold.detach(first(hold));

        assertThat(hold.enter(TERMS, null)).isNull();
        assertThat(hold.isOpen()).isTrue();
        assertThat(hold.exit(first(hold))).isEqualTo(Hold.Exit.ENDS);
    }

    @Test
    void handle_that_is_detached_leaves_the_others_attached() {
        Hold hold = hold();
        enter(hold, TERMS);

        hold.detach(first(hold));

        assertThat(hold.holdCount()).isOne();
        assertThat(hold.enter(TERMS, null)).isNotNull();
    }

    @Test
    void renewal_ends_at_the_very_moment_of_the_longest_hold() {
        Duration longest = Duration.ofSeconds(20);
        Hold hold = hold(longest.toNanos());

        time.pass(longest.minusNanos(1));
        assertThat(hold.isRenewing()).isTrue();
        time.pass(Duration.ofNanos(1));
        assertThat(hold.isRenewing()).isFalse();
    }

    @Test
    void lease_that_was_closed_while_a_handle_is_being_detached_cannot_be_entered() {
        Hold hold = hold();
        Hold.Use use = first(hold);
        assertThat(hold.exit(use)).isEqualTo(Hold.Exit.ENDS);

        hold.detach(use);

        assertThat(hold.enter(TERMS, null)).isNull();
        assertThat(hold.exit(use)).isEqualTo(Hold.Exit.STAYS);
    }

    /** Another thread closes the inner handle between the two steps of its detachment. */
    @Test
    void use_that_was_closed_while_it_is_being_detached_is_counted_off_once() {
        Hold hold = hold();
        Hold.Use inner = enter(hold, TERMS);
        assertThat(hold.exit(inner)).isEqualTo(Hold.Exit.STAYS);

        hold.detach(inner);

        assertThat(hold.holdCount()).isOne();
        assertThat(hold.enter(TERMS, null)).isNotNull();
    }

    @Test
    void abandoned_lease_is_closed_for_good() {
        Hold hold = hold();
        assertThat(hold.abandon()).isTrue();

        assertThat(hold.enter(TERMS, null)).isNull();
        assertThat(hold.isOpen() || hold.isExclusive()).isFalse();
        assertThat(hold.holdCount()).isZero();
        assertThat(hold.exit(first(hold))).isEqualTo(Hold.Exit.STAYS);
        assertThat(hold.abandon()).isFalse();
    }

    @Test
    void first_question_after_the_deadline_finds_the_lease_lost() {
        Hold hold = hold();
        time.pass(Duration.ofSeconds(30));

        assertThat(hold.isLive()).isFalse();
        assertThat(events.lost).hasSize(1);
    }

    @Test
    void lease_is_live_until_just_before_its_deadline() {
        Hold hold = hold();
        time.pass(Duration.ofSeconds(30).minusNanos(1));

        assertThat(hold.isLive()).isTrue();
        assertThat(hold.remaining()).isEqualTo(Duration.ofNanos(1));
    }

    @Test
    void loss_is_told_once_and_keeps_its_first_cause() {
        Hold hold = hold();
        LockEvent.Lost first = hold.lose(LossCause.REVOKED);

        assertThat(hold.lose(LossCause.EXPIRED)).isSameAs(first);
        assertThat(events.lost).containsExactly(first);
    }

    @Test
    void acknowledged_deadline_never_moves_back() {
        Hold hold = hold();
        long far = time.nanos() + Duration.ofMinutes(10).toNanos();
        hold.extendTo(far);

        hold.extendTo(far - 1);

        assertThat(hold.deadline()).isEqualTo(far);
    }

    /** Nothing was due yet: only after a whole lease a renewal should have made it longer. */
    @Test
    void lease_that_was_just_granted_by_a_message_is_not_late() {
        Terms terms = terms(Terms.UNLIMITED);
        Hold hold = hold(terms, 1, Duration.ofSeconds(3));

        assertThat(hold.isRenewalLate()).isFalse();
    }

    /** The store replaces a reservation by what is asked for, so a look at it asks for the rest. A lease is only looked at. */
    @Test
    void lease_that_was_confirmed_is_looked_at_and_a_reservation_is_asked_for_the_rest() {
        Terms terms = terms(Terms.UNLIMITED);
        Hold hold = hold(terms, 1, Duration.ofSeconds(3));
        assertThat(hold.leastMillis()).isEqualTo(3_000);

        hold.extendTo(hold.deadline() + 1);

        assertThat(hold.leastMillis()).isEqualTo(Hold.LOOK_MILLIS);
    }

    @Test
    void deadline_cannot_be_moved_once_it_has_passed() {
        Hold hold = hold();
        time.pass(Duration.ofSeconds(30));

        hold.extendTo(time.nanos() + Duration.ofMinutes(10).toNanos());

        assertThat(hold.isLive()).isFalse();
    }

    @Test
    void closed_lease_is_not_lost_when_its_deadline_passes() {
        Hold hold = hold();
        hold.exit(first(hold));
        time.pass(Duration.ofMinutes(1));

        assertThat(hold.loss()).isNull();
        assertThat(events.lost).isEmpty();
    }
}
