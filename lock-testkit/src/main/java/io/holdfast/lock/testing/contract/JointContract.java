package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Several locks in one call: all are granted, or none; each is given back separately. */
abstract class JointContract extends ContractFixture {

    JointContract(StoreUnderTest subject) {
        super(subject);
    }

    private List<LockKey> keys() {
        return List.of(key, beside(":2"), beside(":3"));
    }

    /** One acquisition for each of the keys. */
    private static List<OwnerId> each(OwnerId first) {
        return List.of(first, next(first), next(next(first)));
    }

    private List<AcquireRequest> requests(OwnerId first) {
        List<AcquireRequest> requests = new ArrayList<>();
        for (int i = 0; i < keys().size(); i++) {
            requests.add(oneOfMany(keys().get(i), each(first).get(i)));
        }
        return requests;
    }

    private AcquireAllReply tryAll(OwnerId first) {
        return store().acquireAll(requests(first));
    }

    private List<Long> tokens(AcquireAllReply reply) {
        needs(OptionalCall.ACQUIRE_ALL, !(reply instanceof AcquireAllReply.OneByOne));
        assertThat(reply).isInstanceOf(AcquireAllReply.Granted.class);
        return ((AcquireAllReply.Granted) reply)
                .grants().stream().map(AcquireReply.Granted::token).toList();
    }

    /** Asserts that all are refused, and, if the store says so, because of which lock; then it also returns why. */
    private Optional<AcquireReply> refused(AcquireAllReply reply, int index) {
        assumeThat(offers(OptionalCall.ACQUIRE_ALL) || !(reply instanceof AcquireAllReply.OneByOne))
                .isTrue();
        if (reply instanceof AcquireAllReply.OneByOne several) {
            assertThat(offers(OptionalCall.ACQUIRE_ALL_IN_ONE_STEP))
                    .as("one step names the lock")
                    .isFalse();
            assertThat(several.outcomeUnknown()).isFalse();
            return Optional.empty();
        }
        assertThat(reply).isInstanceOf(AcquireAllReply.Refused.class);
        AcquireAllReply.Refused refused = (AcquireAllReply.Refused) reply;
        assertThat(refused.index()).isEqualTo(index);
        return Optional.of(refused.reply());
    }

    private List<ReleaseReply> releaseAll(List<ReleaseRequest> requests) {
        return store().releaseAll(requests).stream()
                .map(LockStore.Pending::await)
                .toList();
    }

    private List<ReleaseReply> releaseAll(OwnerId first) {
        List<ReleaseRequest> requests = new ArrayList<>();
        for (int i = 0; i < keys().size(); i++) {
            requests.add(new ReleaseRequest(keys().get(i), each(first).get(i)));
        }
        return releaseAll(requests);
    }

    private boolean isFree(LockKey lock) {
        return store().inspect(lock).holders().isEmpty();
    }

    @Test
    void free_locks_are_granted_together_each_with_its_token() {
        List<Long> tokens = tokens(tryAll(alice));

        for (int i = 0; i < keys().size(); i++) {
            var holder = store().inspect(keys().get(i)).holder().orElseThrow();
            assertThat(holder.fencingToken()).isEqualTo(tokens.get(i));
            assertThat(holder.clientId()).isEqualTo(alice.clientId());
            assertThat(holder.thread()).isEqualTo("worker-1");
            assertThat(holder.remaining()).isBetween(MOST_OF_LEASE, LEASE);
        }
    }

    @Test
    void one_that_is_held_refuses_all_and_is_named() {
        LockKey second = keys().get(1);
        granted(store().acquire(oneTry(second, bob)));

        refused(tryAll(alice), 1)
                .ifPresent(reply -> assertThat(held(reply).clientId()).isEqualTo(bob.clientId()));

        assertThat(isFree(keys().get(0))).isTrue();
        assertThat(isFree(keys().get(2))).isTrue();
        assertThat(keys())
                .allSatisfy(each -> assertThat(store().inspect(each).waiters()).isZero());
        store().release(new ReleaseRequest(second, bob));
        assertThat(isFree(second)).isTrue();
    }

    @Test
    void refusal_does_not_use_up_tokens() {
        long before = granted(alice);
        release(alice);
        granted(store().acquire(oneTry(keys().get(2), bob)));

        refused(tryAll(next(alice)), 2);

        long last = store().inspect(key).lastFencingToken();
        assertThat(last).isGreaterThanOrEqualTo(before);
        if (offers(OptionalCall.ACQUIRE_ALL_IN_ONE_STEP)) {
            assertThat(last).isEqualTo(before);
        }
    }

    @Test
    void locks_that_were_refused_together_can_be_acquired_one_by_one_by_the_same_client() {
        granted(store().acquire(oneTry(keys().get(2), bob)));
        refused(tryAll(alice), 2);

        long first = granted(store().acquire(oneTry(keys().get(0), new OwnerId(alice.clientId(), 11))));
        granted(store().acquire(oneTry(keys().get(1), new OwnerId(alice.clientId(), 12))));

        assertThat(store().inspect(keys().get(0)).holder().orElseThrow().fencingToken())
                .isEqualTo(first);
    }

    @Test
    void single_tries_are_granted_together_in_one_step() {
        AcquireAllReply reply = store().acquireAll(List.of(oneTry(key, alice), oneTry(keys().get(1), next(alice))));

        needs(OptionalCall.ACQUIRE_ALL_IN_ONE_STEP, !(reply instanceof AcquireAllReply.OneByOne));
        assertThat(tokens(reply)).hasSize(2);
        assertThat(isFree(key) || isFree(keys().get(1))).isFalse();
    }

    /** On several servers, such a call could refuse a lock to somebody else, and then end without it. */
    @Test
    void single_tries_that_are_left_to_acquire_one_by_one_hold_nothing() {
        AcquireAllReply reply = store().acquireAll(List.of(oneTry(key, alice), oneTry(keys().get(1), next(alice))));

        assumeThat(reply).isInstanceOf(AcquireAllReply.OneByOne.class);
        assertThat(keys()).allMatch(this::isFree);
    }

    @Test
    void each_token_is_greater_than_the_last_one_of_its_lock_even_one_that_is_ahead_of_the_clock() {
        LockKey second = keys().get(1);
        long ahead = granted(store().acquire(oneTry(second, bob)))
                + Duration.ofDays(1).toNanos() / 1000;
        store().release(new ReleaseRequest(second, bob));
        granted(store().acquire(new AcquireRequest(
                second, carol, LEASE.toMillis(), HERE, EXCLUSIVE, 1, false, false, 1, ahead, false)));
        store().release(new ReleaseRequest(second, carol));

        assertThat(tokens(tryAll(alice)).get(1)).isGreaterThan(ahead);
    }

    @Test
    void each_lock_has_its_own_lease() {
        LockKey second = keys().get(1);
        tokens(store().acquireAll(List.of(
                new AcquireRequest(
                        second, next(alice), LEASE.toMillis() * 4, HERE, EXCLUSIVE, 1, false, true, 1, 0, false),
                oneOfMany(key, alice))));

        assertThat(store().inspect(second).holder().orElseThrow().remaining()).isGreaterThan(LEASE.multipliedBy(3));
        assertThat(remaining()).isLessThanOrEqualTo(LEASE);
    }

    @Test
    void call_that_is_sent_twice_is_granted_twice_with_the_same_tokens() {
        List<Long> tokens = tokens(tryAll(alice));
        pass(Duration.ofSeconds(1));
        assertThat(tokens(tryAll(alice))).isEqualTo(tokens);
        assertThat(remaining()).isGreaterThan(LEASE.minusMillis(900));
        renew(alice, LEASE.multipliedBy(4));

        assertThat(tokens(tryAll(alice))).isEqualTo(tokens);

        assertThat(remaining()).isGreaterThan(LEASE.multipliedBy(3));
    }

    @Test
    void shared_lock_that_is_requested_again_for_longer_is_held_for_longer() {
        AcquireRequest alone = oneOfMany(keys().get(1), next(alice));
        tokens(store().acquireAll(List.of(shared(key, alice, 3, 1), alone)));
        granted(tryWeighted(carol, 3, 2, false));

        tokens(store().acquireAll(List.of(shared(key, alice, 3, 1, LEASE.multipliedBy(4)), alone)));

        pass(LEASE.multipliedBy(2));
        assertThat(holders()).containsExactly(alice.clientId());
        held(tryOnce(bob));
    }

    @Test
    void lock_with_reserved_tokens_that_is_requested_again_has_the_first_of_them() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, 1_000));

        assertThat(tokens(tryAll(alice)).get(0)).isEqualTo(first);
    }

    @Test
    void lock_whose_lease_has_ended_is_free() {
        granted(bob);
        pass(LEASE);

        tokens(tryAll(alice));

        assertThat(holders()).containsExactly(alice.clientId());
    }

    @Test
    void acquisition_that_was_undone_is_refused_and_grants_none() {
        store().leave(keys().get(1), next(alice), LEASE, ReleaseRequest.NO_TOKEN);

        refused(tryAll(alice), 1).ifPresent(reply -> assertThat(reply).isInstanceOf(AcquireReply.Cancelled.class));

        assertThat(isFree(key)).isTrue();
    }

    @Test
    void permits_and_weights_count_and_each_lock_has_its_mode() {
        LockKey second = keys().get(1);
        AcquireReply heavy = tryWeighted(bob, 3, 2, false);
        granted(heavy);
        AcquireRequest light = shared(key, alice, 3, 1);
        AcquireRequest alone = oneOfMany(second, next(alice));

        refused(store().acquireAll(List.of(shared(key, alice, 3, 2), alone)), 0);
        assertThat(isFree(second)).isTrue();
        List<Long> tokens = tokens(store().acquireAll(List.of(light, alone)));

        assertThat(tokens(store().acquireAll(List.of(light, alone)))).isEqualTo(tokens);
        assertThat(store().inspect(key).holders()).hasSize(2);
        refused(store().acquireAll(List.of(shared(key, carol, 3, 1), oneOfMany(beside(":9"), next(carol)))), 0);
        assertThat(releaseAll(List.of(new ReleaseRequest(key, alice), new ReleaseRequest(second, next(alice)))))
                .containsOnly(ReleaseReply.RELEASED);
        assertThat(holders()).containsExactly(bob.clientId());
    }

    private AcquireRequest shared(LockKey lock, OwnerId owner, int limit, int weight) {
        return shared(lock, owner, limit, weight, LEASE);
    }

    private AcquireRequest shared(LockKey lock, OwnerId owner, int limit, int weight, Duration lease) {
        return new AcquireRequest(lock, owner, lease.toMillis(), HERE, limit, weight, false, true, 1, 0, false);
    }

    @Test
    void locks_are_given_back_together() {
        tokens(tryAll(alice));

        assertThat(releaseAll(alice))
                .containsExactly(ReleaseReply.RELEASED, ReleaseReply.RELEASED, ReleaseReply.RELEASED);

        assertThat(keys()).allMatch(this::isFree);
    }

    @Test
    void each_release_has_its_own_answer() {
        granted(store().acquire(oneTry(keys().get(0), each(alice).get(0))));
        granted(store().acquire(oneTry(keys().get(1), bob)));
        granted(store().acquire(oneTry(keys().get(2), each(alice).get(2))));

        assertThat(releaseAll(alice)).containsExactly(ReleaseReply.RELEASED, notHolder(), ReleaseReply.RELEASED);

        assertThat(isFree(keys().get(1))).isFalse();
        assertThat(isFree(keys().get(2))).isTrue();
    }

    @Test
    void each_lock_is_kept_for_its_own_minimum_time() {
        granted(alice);
        LockKey second = keys().get(1);
        granted(store().acquire(oneTry(second, next(alice))));

        releaseAll(List.of(
                new ReleaseRequest(key, alice, LEASE, ReleaseRequest.ALL_TOKENS, LEASE.toMillis(), EXCLUSIVE),
                new ReleaseRequest(
                        second, next(alice), Duration.ZERO, ReleaseRequest.ALL_TOKENS, LEASE.toMillis(), EXCLUSIVE)));

        assertThat(tryOnce(bob)).isInstanceOf(AcquireReply.Held.class);
        assertThat(isFree(second)).isTrue();
    }

    @Test
    void tokens_that_were_not_used_are_given_back_with_the_lock() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, 1_000_000));

        releaseAll(List.of(
                new ReleaseRequest(key, alice, Duration.ZERO, first + 5, LEASE.toMillis(), EXCLUSIVE),
                new ReleaseRequest(keys().get(1), bob)));

        assertThat(store().inspect(key).lastFencingToken()).isEqualTo(first + 5);
    }
}
