package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lock that is being passed from one holder to the next. In every test it is reserved for bob, and carol waits behind him. */
abstract class ReservationContract extends ContractFixture {

    /**
     * Long enough to tell whether the store counts elapsed time, and short enough to leave most of the reservation to tests with a
     * real clock, which keeps running.
     */
    private static final Duration SOME_TIME = LockStore.RESERVATION.dividedBy(5);

    ReservationContract(StoreUnderTest subject) {
        super(subject);
    }

    @BeforeEach
    void reserve() {
        granted(alice);
        queue(bob, carol);
        released(alice);
    }

    @Test
    void reserved_lock_is_refused_to_others_and_granted_to_its_owner() {
        reservedForAnother(tryOnce(dave));
        reservedForAnother(acquire(dave, LEASE, true));
        reservedForAnother(tryShared(erin, UNLIMITED));

        granted(bob);
        assertThat(holders()).containsExactly(bob.clientId());
    }

    @Test
    void reserved_lock_is_held_by_the_one_it_is_reserved_for() {
        assertThat(holders()).containsExactly(bob.clientId());
        assertThat(store().inspect(key).waiters()).isEqualTo(1);
        assertThat(remaining()).isPositive().isLessThanOrEqualTo(LockStore.RESERVATION);
    }

    @Test
    void reservation_is_confirmed_by_a_renewal() {
        assertThat(renew(bob, LEASE)).isInstanceOf(RenewReply.Renewed.class);

        pass(MOST_OF_LEASE);
        assertThat(held(tryOnce(dave)).clientId()).isEqualTo(bob.clientId());
    }

    @Test
    void confirmed_reservation_has_no_entry_any_more() {
        renew(bob, LEASE);
        pass(LEASE);

        granted(dave);
        assertThat(called(bob)).containsExactly(bob);
    }

    @Test
    void renewed_reservation_that_ends_passes_the_lock_on_for_good() {
        renew(bob, SOME_TIME);

        passedOnForGood();
    }

    @Test
    void shared_reservation_that_ends_passes_the_lock_on_for_good() {
        store().downgrade(key, bob, ReleaseRequest.ALL_TOKENS);

        passedOnForGood();
    }

    @Test
    void claimed_reservation_that_ends_passes_the_lock_on_for_good() {
        granted(acquire(bob, SOME_TIME, true));

        passedOnForGood();
    }

    @Test
    void claimed_reservation_of_a_reader_that_ends_passes_the_lock_on_for_good() {
        leave(carol);
        leave(bob);
        granted(alice);
        queueShared(UNLIMITED, bob);
        queue(carol);
        released(alice);
        granted(acquire(bob, SOME_TIME, UNLIMITED, true));

        passedOnForGood();
    }

    /** Bob held the lock, so he no longer waits for it, although he keeps asking for an entry. */
    private void passedOnForGood() {
        lapse(bob, carol);
        granted(carol);
        keepEntries(bob);
        released(carol);
        granted(dave);
    }

    @Test
    void last_try_after_the_reservation_lapsed_gives_the_entry_up() {
        lapse(carol);

        reservedForAnother(tryOnce(bob));

        granted(carol);
        released(carol);
        granted(dave);
    }

    @Test
    void owner_that_gave_a_reservation_back_may_queue_anew() {
        released(bob);

        queuesAnew();
    }

    @Test
    void owner_of_a_reservation_that_was_released_by_force_may_queue_anew() {
        store().forceRelease(key);

        queuesAnew();
    }

    private void queuesAnew() {
        reservedForAnother(acquire(bob, LEASE, true));
        granted(carol);
        released(carol);
        reservedForAnother(tryOnce(dave));
        granted(bob);
    }

    @Test
    void reservation_can_be_given_back_at_once() {
        assertThat(release(bob)).isEqualTo(ReleaseReply.RELEASED);

        granted(carol);
        assertThat(release(bob)).isEqualTo(notHolder());
    }

    @Test
    void release_after_the_reservation_lapsed_passes_the_lock_on_and_gives_the_entry_up() {
        lapse(bob, carol);

        assertThat(release(bob)).isEqualTo(notHolder());

        assertThat(holders()).containsExactly(carol.clientId());
        released(carol);
        assertThat(holders()).isEmpty();
        granted(dave);
    }

    @Test
    void release_after_the_reservation_passed_to_another_gives_the_entry_up() {
        lapse(bob, carol);
        granted(carol);
        assertThat(store().inspect(key).waiters()).isEqualTo(1);

        assertThat(release(bob)).isEqualTo(notHolder());

        assertThat(store().inspect(key).waiters()).isZero();
        released(carol);
        granted(dave);
    }

    @Test
    void release_after_the_only_reservation_lapsed_frees_the_lock() {
        leave(carol);
        lapse(bob);

        assertThat(release(bob)).isEqualTo(notHolder());

        granted(dave);
    }

    @Test
    void reserved_lock_can_be_shared() {
        assertThat(store().downgrade(key, bob, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(renew(bob, LEASE)).isInstanceOf(RenewReply.Renewed.class);
        leave(carol);
        shared(dave, UNLIMITED);
    }

    @Test
    void downgrade_after_the_reservation_lapsed_passes_the_lock_on_and_gives_the_entry_up() {
        lapse(bob, carol);

        assertThat(store().downgrade(key, bob, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.NOT_HOLDER);

        assertThat(holders()).containsExactly(carol.clientId());
        released(carol);
        granted(dave);
    }

    @Test
    void reservation_and_its_claim_have_one_token() {
        long token = store().inspect(key).holder().orElseThrow().fencingToken();

        assertThat(granted(acquire(bob, LEASE, true))).isEqualTo(token);
    }

    @Test
    void lease_begins_with_the_claim() {
        leave(carol);
        pass(SOME_TIME);
        long before = refused(tryOnce(dave)).storeMicros();

        granted(acquire(bob, LEASE, true));

        AcquireReply.Held now = refused(tryOnce(dave));
        Duration untilEnd = held(now).remaining().plus(now.storeMicros() - before, ChronoUnit.MICROS);
        assertThat(untilEnd).isGreaterThan(LEASE.minus(SOME_TIME.dividedBy(2)));
    }

    @Test
    void lease_of_the_claim_takes_the_place_of_a_longer_reservation() {
        granted(acquire(bob, SOME_TIME, true));

        endsAfterSomeTime(bob);
    }

    @Test
    void lease_of_the_renewal_takes_the_place_of_a_longer_reservation() {
        renew(bob, SOME_TIME);

        endsAfterSomeTime(bob);
    }

    @Test
    void lease_of_a_reader_takes_the_place_of_a_longer_reservation() {
        reserveForReaders();
        granted(acquire(bob, SOME_TIME, UNLIMITED, true));
        renew(dave, SOME_TIME);

        endsAfterSomeTime(bob, dave);
    }

    /** To the microsecond: the others are not kept waiting for time that the holder has not requested. */
    private void endsAfterSomeTime(OwnerId... owners) {
        assertThat(store().inspect(key).holders())
                .hasSize(owners.length)
                .allSatisfy(
                        holder -> assertThat(holder.remaining()).isPositive().isLessThanOrEqualTo(SOME_TIME));
        pass(SOME_TIME);
        assertThat(called(carol)).containsExactly(carol);
    }

    private void reserveForReaders() {
        leave(carol);
        leave(bob);
        granted(alice);
        queueShared(UNLIMITED, bob, dave);
        queue(carol);
        released(alice);
    }

    @Test
    void lease_that_took_the_place_of_a_reservation_is_not_shortened_by_a_second_call() {
        renew(bob, LEASE);
        renew(bob, SOME_TIME);
        granted(acquire(bob, SOME_TIME, true));

        assertThat(remaining()).isGreaterThan(MOST_OF_LEASE);
    }

    @Test
    void reserved_entry_stays_alive_if_it_is_kept() {
        leave(carol);
        for (int i = 0; i < 4; i++) {
            pass(HALF_ENTRY_TIMEOUT);
            assertThat(called(bob)).containsExactly(bob);
        }

        assertThat(holders()).containsExactly(bob.clientId());
    }

    @Test
    void waiter_that_leaves_passes_its_reservation_on() {
        leave(bob);

        reservedForAnother(tryOnce(dave));
        granted(carol);
    }

    @Test
    void waiter_that_is_cancelled_passes_its_reservation_on() {
        store().leave(key, bob, LEASE, ReleaseRequest.ALL_TOKENS);

        reservedForAnother(tryOnce(dave));
        assertThat(tryOnce(bob)).isInstanceOf(AcquireReply.Cancelled.class);
        granted(carol);
    }

    @Test
    void last_waiter_that_leaves_frees_the_lock() {
        leave(carol);
        leave(bob);

        granted(dave);
    }

    @Test
    void acquire_that_claimed_and_is_sent_twice_is_granted_twice_with_one_token() {
        assertThat(granted(bob)).isEqualTo(granted(bob));
    }

    @Test
    void reservations_that_lapsed_are_forgotten_when_all_have_had_the_lock() {
        lapse(bob, carol);
        granted(carol);
        released(carol);
        granted(bob);
        released(bob);

        nobodyIsMissed();
    }

    @Test
    void reservations_of_those_who_died_are_forgotten() {
        pass(LockStore.ENTRY_TIMEOUT.multipliedBy(2));

        nobodyIsMissed();
    }

    /** As long as nobody else claims the lock, it may be given back even after its lease. */
    private void nobodyIsMissed() {
        granted(dave);
        pass(LEASE);
        assertThat(release(dave)).isEqualTo(ReleaseReply.RELEASED);
    }

    @Test
    void forced_release_after_the_reservation_lapsed_finds_nobody_and_leaves_the_entry_in_its_place() {
        lapse(bob, carol);

        assertThat(store().forceRelease(key)).isEmpty();

        assertThat(called(carol, bob)).containsExactly(bob);
    }

    @Test
    void forced_release_of_a_reserved_lock_passes_it_to_the_next() {
        assertThat(store().forceRelease(key)).extracting(LockHolder::clientId).containsExactly(bob.clientId());

        granted(carol);
        assertThat(called(bob)).containsExactly(bob);
    }
}
