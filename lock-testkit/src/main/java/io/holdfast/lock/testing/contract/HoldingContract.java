package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who holds the lock, and for how long. */
abstract class HoldingContract extends ContractFixture {

    HoldingContract(StoreUnderTest subject) {
        super(subject);
    }

    @Test
    void free_lock_is_granted_with_a_token() {
        assertThat(granted(alice)).isPositive();
    }

    @Test
    void held_lock_is_refused_and_names_its_holder() {
        long token = granted(alice);

        LockHolder holder = held(tryOnce(bob));

        assertThat(holder.clientId()).isEqualTo(alice.clientId());
        assertThat(holder.host()).isEqualTo("web-1");
        assertThat(holder.pid()).isEqualTo(4711);
        assertThat(holder.thread()).isEqualTo("worker-1");
        assertSameGrant(token, holder.fencingToken());
        assertThat(holder.remaining()).isPositive().isLessThanOrEqualTo(LEASE);
        assertThat(holder.keptByMinHold()).isFalse();
    }

    @Test
    void holder_is_named_with_its_trace() {
        acquireIn(alice, TRACEPARENT, EXCLUSIVE);

        assertThat(held(tryOnce(bob)).traceparent()).contains(TRACEPARENT);
        assertThat(held(tryOnce(bob)).thread()).isEqualTo(HERE.thread());
        assertThat(store().inspect(key).holder().orElseThrow().traceparent()).contains(TRACEPARENT);
        assertThat(store().forceRelease(key))
                .singleElement()
                .satisfies(former -> assertThat(former.traceparent()).contains(TRACEPARENT));
    }

    @Test
    void holder_is_named_with_nothing_but_a_trace() {
        acquireIn(alice, "traceparent\t\n1", EXCLUSIVE);

        assertThat(held(tryOnce(bob)).traceparent()).isEmpty();
        assertThat(held(tryOnce(bob)).thread()).isEqualTo(HERE.thread());
    }

    @Test
    void acquire_that_is_sent_twice_is_granted_twice_with_one_token() {
        grantedAgain(granted(alice), tryOnce(alice));
    }

    @Test
    void late_duplicate_of_an_acquire_does_not_shorten_the_lease() {
        granted(alice);
        renew(alice, Duration.ofMinutes(10));

        acquire(alice, Duration.ofSeconds(1), false);

        assertThat(remaining()).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void released_lock_is_free() {
        granted(alice);

        assertThat(release(alice)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(store().inspect(key).holder()).isEmpty();
        granted(bob);
    }

    @Test
    void release_by_a_stranger_changes_nothing() {
        granted(alice);

        assertThat(release(bob)).isEqualTo(notHolder());

        held(tryOnce(bob));
    }

    @Test
    void second_release_finds_nothing() {
        granted(alice);
        release(alice);

        assertThat(release(alice)).isEqualTo(notHolder());
    }

    @Test
    void lease_that_ended_is_released_as_long_as_nobody_came_for_the_lock() {
        granted(alice);
        pass(LEASE);

        assertThat(release(alice)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(release(alice)).isEqualTo(notHolder());
        granted(bob);
    }

    @Test
    void lease_that_ended_keeps_no_lock_for_a_minimum_time() {
        granted(alice);
        pass(LEASE);

        assertThat(releaseLater(alice, Duration.ofSeconds(10))).isEqualTo(notHolder());

        granted(bob);
    }

    @Test
    void lock_is_held_until_its_lease_ends_and_free_after_it() {
        long first = granted(alice);

        pass(MOST_OF_LEASE);
        held(tryOnce(bob));
        pass(REST_OF_LEASE);

        assertThat(granted(bob)).isGreaterThan(first);
    }

    @Test
    void former_holder_cannot_touch_the_next_one() {
        granted(alice);
        pass(LEASE);
        granted(bob);

        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
        assertThat(release(alice)).isEqualTo(notHolder());
        store().leave(key, alice, LEASE, ReleaseRequest.ALL_TOKENS);

        assertThat(held(tryOnce(next(alice))).clientId()).isEqualTo(bob.clientId());
    }

    @Test
    void owner_is_one_acquisition_and_not_one_client() {
        granted(alice);

        held(tryOnce(next(alice)));
    }

    @Test
    void renewal_makes_the_lease_last_from_now_on() {
        granted(alice);
        pass(MOST_OF_LEASE);

        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.Renewed.class);

        pass(MOST_OF_LEASE);
        held(tryOnce(bob));
    }

    @Test
    void late_duplicate_of_a_renewal_does_not_shorten_the_lease() {
        granted(alice);
        renew(alice, Duration.ofMinutes(10));

        renew(alice, Duration.ofSeconds(1));

        assertThat(remaining()).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void lease_that_has_ended_cannot_be_renewed() {
        granted(alice);
        pass(LEASE);

        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
    }

    @Test
    void renewals_are_answered_one_by_one_in_their_order() {
        granted(alice);
        LockKey other = LockKey.of(key + ":other");
        store().acquire(oneTry(other, bob));

        List<RenewReply> replies = store().renew(List.of(
                renewal(key, bob, 1000),
                renewal(other, bob, 1000),
                renewal(key, alice, 1000),
                renewal(LockKey.of(key + ":unknown"), alice, 1000)));

        assertThat(replies)
                .containsExactly(
                        new RenewReply.NotHolder(),
                        new RenewReply.Renewed(),
                        new RenewReply.Renewed(),
                        new RenewReply.NotHolder());
    }

    @Test
    void acquire_that_arrives_after_its_undo_is_refused() {
        store().leave(key, alice, LEASE, ReleaseRequest.ALL_TOKENS);

        assertThat(tryOnce(alice)).isInstanceOf(AcquireReply.Cancelled.class);
        granted(bob);
    }

    @Test
    void undo_that_arrives_after_its_acquire_frees_the_lock() {
        granted(alice);

        store().leave(key, alice, LEASE, ReleaseRequest.ALL_TOKENS);

        granted(bob);
        assertThat(tryOnce(alice)).isInstanceOf(AcquireReply.Cancelled.class);
    }

    @Test
    void undo_of_a_stranger_leaves_the_holder_alone() {
        granted(alice);

        store().leave(key, bob, LEASE, ReleaseRequest.ALL_TOKENS);

        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.Renewed.class);
    }

    @Test
    void cancellation_of_a_lock_that_is_long_forgotten_otherwise_lasts_as_long_as_it_was_told_to() {
        store().leave(key, alice, Duration.ofHours(2), ReleaseRequest.ALL_TOKENS);
        pass(Duration.ofHours(1));
        store().inspect(beside("-another")); // a store may forget other locks on any call

        assertThat(tryOnce(alice)).isInstanceOf(AcquireReply.Cancelled.class);
    }

    @Test
    void cancellation_lasts_as_long_as_it_was_told_to() {
        store().leave(key, alice, LEASE, ReleaseRequest.ALL_TOKENS);
        pass(MOST_OF_LEASE);
        assertThat(tryOnce(alice)).isInstanceOf(AcquireReply.Cancelled.class);

        pass(REST_OF_LEASE);

        granted(alice);
    }

    @Test
    void lock_kept_for_a_minimum_time_is_held_by_nobody_and_ends_by_itself() {
        granted(alice);

        assertThat(releaseLater(alice, Duration.ofSeconds(10))).isEqualTo(ReleaseReply.RELEASED);

        LockHolder keeper = held(tryOnce(bob));
        assertThat(keeper.clientId()).isEqualTo(alice.clientId());
        assertThat(keeper.keptByMinHold()).isTrue();
        assertThat(store().inspect(key).holders())
                .extracting(LockHolder::keptByMinHold)
                .containsExactly(true);
        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
        assertThat(release(alice)).isEqualTo(notHolder());
        pass(Duration.ofSeconds(10));
        granted(bob);
    }

    @Test
    void extension_is_a_renewal_of_one() {
        granted(alice);

        assertThat(store().extend(renewal(key, alice, 600_000))).isInstanceOf(RenewReply.Renewed.class);
        assertThat(store().extend(renewal(key, bob, 600_000))).isInstanceOf(RenewReply.NotHolder.class);

        assertThat(remaining()).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void unknown_lock_has_no_holder_no_waiters_and_no_token() {
        var status = store().inspect(key);

        assertThat(status.key()).isEqualTo(key);
        assertThat(status.holder()).isEmpty();
        assertThat(status.waiters()).isZero();
        assertThat(status.lastFencingToken()).isZero();
    }

    static List<String> anyText() {
        return List.of(
                " ", "a b", "line\nbreak", "Straße/東京/🔒", "{", "}", "}x{", "%7D", "%257D", "{}", "x".repeat(10_000));
    }

    @ParameterizedTest
    @MethodSource("anyText")
    void key_may_hold_any_text(String text) {
        LockKey odd = LockKey.of(key + text);
        AcquireRequest request = oneTry(odd, alice);

        granted(store().acquire(request));

        assertThat(store().inspect(odd).holder()).isPresent();
        assertThat(store().inspect(key).holder()).isEmpty();
        assertThat(store().release(new ReleaseRequest(odd, alice))).isEqualTo(ReleaseReply.RELEASED);
    }

    @Test
    void keys_that_look_alike_when_escaped_are_different_locks() {
        List<String> alike = List.of("{", "%7B", "%257B", "%25257B", "}", "%7D", "{}", "%");
        for (int i = 0; i < alike.size(); i++) {
            OwnerId owner = new OwnerId(alice.clientId(), 200 + i);
            LockKey one = LockKey.of(key + alike.get(i));
            granted(store().acquire(oneTry(one, owner)));
        }
    }

    @Test
    void only_one_of_many_threads_holds_the_lock() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger grants = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            int thread = t;
            running.add(threads.submit(() -> {
                for (int i = 0; i < 200; i++) {
                    OwnerId owner = new OwnerId("many" + thread, i);
                    if (acquire(owner, LEASE, false) instanceof AcquireReply.Granted) {
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        grants.incrementAndGet();
                        inside.decrementAndGet();
                        release(owner);
                    }
                }
            }));
        }
        for (Future<?> one : running) {
            one.get();
        }
        threads.shutdown();
        assertThat(grants.get()).isPositive();
    }
}
