package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Several holders of the same lock: readers and permits. */
abstract class SharedContract extends ContractFixture {

    /** Shorter than a lease, and longer than a slow machine needs for a few calls. */
    private static final Duration SHORT = Duration.ofSeconds(10);

    SharedContract(StoreUnderTest subject) {
        super(subject);
    }

    @Test
    void shared_holder_is_named_with_its_trace() {
        acquireIn(alice, TRACEPARENT, UNLIMITED);

        assertThat(held(tryOnce(bob)).traceparent()).contains(TRACEPARENT);
    }

    @Test
    void readers_hold_the_lock_together() {
        shared(alice, UNLIMITED);
        shared(bob, UNLIMITED);

        assertThat(holders()).containsExactlyInAnyOrder(alice.clientId(), bob.clientId());
        assertThat(store().inspect(key).holders()).extracting(LockHolder::mode).containsOnly(LockMode.SHARED);
    }

    @Test
    void writer_keeps_readers_out() {
        granted(alice);

        LockHolder holder = held(tryShared(bob, UNLIMITED));

        assertThat(holder.clientId()).isEqualTo(alice.clientId());
        assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
    }

    @Test
    void semaphore_has_as_many_permits_as_its_limit() {
        shared(alice, 2);
        shared(bob, 2);

        refused(tryShared(carol, 2));

        released(alice, 2);
        shared(carol, 2);
        refused(tryShared(alice, 2));
    }

    @Test
    void heavy_holder_takes_as_much_of_the_limit_as_it_weighs() {
        granted(tryWeighted(alice, 5, 3, false));

        refused(tryWeighted(bob, 5, 3, false));
        granted(tryWeighted(bob, 5, 2, false));
        refused(tryShared(carol, 5));

        released(alice, 5);
        granted(tryWeighted(carol, 5, 3, false));
        refused(tryShared(alice, 5));
    }

    @Test
    void weight_is_kept_by_a_lock_that_is_kept_after_its_release() {
        granted(tryWeighted(alice, 3, 2, false));
        releaseLater(alice, LEASE);
        assertThat(store().inspect(key).holders())
                .extracting(LockHolder::keptByMinHold)
                .containsExactly(true);

        shared(bob, 3);
        refused(tryShared(carol, 3));
    }

    /** The holders are counted again when one of them has expired. */
    @Test
    void weights_are_counted_anew_without_those_that_have_expired() {
        acquire(alice, SHORT, 4, false);
        granted(tryWeighted(bob, 4, 3, false));
        renew(bob, LEASE);
        pass(SHORT);

        refused(tryWeighted(carol, 4, 2, false));
        granted(tryWeighted(carol, 4, 1, false));
    }

    @Test
    void shared_acquire_that_is_sent_twice_takes_one_permit() {
        grantedAgain(shared(alice, 2), tryShared(alice, 2));

        shared(bob, 2);
        assertThat(holders()).hasSize(2);
    }

    /** It is held longer than the token of a free lock is remembered, so the store must not mistake this lock for a free one. */
    @Test
    void shared_lock_that_is_acquired_again_for_longer_is_held_for_longer() {
        acquire(alice, SHORT, 2, false);
        acquire(alice, Duration.ofHours(1), 2, false);

        pass(Duration.ofMinutes(59));

        assertThat(holders()).containsExactly(alice.clientId());
        held(tryOnce(bob));
    }

    @Test
    void permit_whose_lease_has_ended_is_not_released() {
        acquire(alice, SHORT, 2, false);
        pass(SHORT);

        assertThat(release(alice)).isEqualTo(notHolder());
        assertThat(releaseLater(alice, LEASE)).isEqualTo(notHolder());

        granted(bob);
    }

    @Test
    void each_permit_has_a_lease_of_its_own() {
        acquire(alice, SHORT, 2, false);
        acquire(bob, SHORT, 2, false);
        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.Renewed.class);

        pass(SHORT);

        assertThat(holders()).containsExactly(alice.clientId());
    }

    @Test
    void permits_that_were_renewed_and_given_back_are_free() {
        shareShortlyAndRenew();

        released(alice);
        assertThat(holders()).containsExactly(bob.clientId());
        released(bob);

        granted(carol);
    }

    @Test
    void permits_that_were_renewed_and_undone_are_free() {
        shareShortlyAndRenew();

        leave(alice);
        assertThat(holders()).containsExactly(bob.clientId());
        leave(bob);

        granted(carol);
    }

    @Test
    void permit_given_back_while_another_one_has_expired_unseen_leaves_the_lock_free() {
        acquire(alice, SHORT, 2, false);
        shared(bob, 2);
        pass(SHORT);

        released(bob);

        granted(carol);
    }

    private void shareShortlyAndRenew() {
        acquire(alice, SHORT, 2, false);
        acquire(bob, SHORT, 2, false);
        renew(alice, LEASE);
        renew(bob, LEASE);
        pass(SHORT);
    }

    @Test
    void reader_keeps_its_permit_for_a_minimum_time() {
        shared(alice, 1);

        assertThat(releaseLater(alice, SHORT)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(held(tryShared(bob, 1)).clientId()).isEqualTo(alice.clientId());
        assertThat(release(alice)).isEqualTo(notHolder());
        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
        pass(SHORT);
        shared(bob, 1);
    }

    @Test
    void refused_permit_names_one_who_still_holds_it() {
        shared(alice, UNLIMITED);
        shared(bob, UNLIMITED);
        released(bob);

        assertThat(held(tryOnce(carol)).clientId()).isEqualTo(alice.clientId());
    }

    @Test
    void refused_permit_says_when_the_first_lease_ends() {
        shared(alice, 2);
        acquire(bob, Duration.ofSeconds(10), 2, false);

        assertThat(refused(tryShared(carol, 2)).blockedFor()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void undone_permit_is_free() {
        shared(alice, 1);

        store().leave(key, alice, LEASE, ReleaseRequest.ALL_TOKENS);

        shared(bob, 1);
        assertThat(tryShared(alice, UNLIMITED)).isInstanceOf(AcquireReply.Cancelled.class);
    }
}
