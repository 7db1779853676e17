package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock that another client has released to a waiter: it lasts as long as that one has asked for, and no longer. */
class HandedOverLeaseTest extends StepsFixture {

    private static final String KEY = "order:42";
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration MILLI = Duration.ofMillis(1);

    private @Nullable OwnerId owner;
    private final Caller caller = Caller.task(() -> {});

    private LockHandle handedOver(LockRequest request) {
        Thread here = Thread.currentThread();
        store.before = () -> {
            if (Thread.currentThread() != here) {
                throw StoreSpy.unreachable(); // the watchdog does nothing
            }
        };
        heldByOther(KEY);
        Steps waiter = steps(request);
        assertWaits(waiter);
        owner = store.acquires.get(0).owner();
        releasedByOther(KEY);
        time.pass(MILLI);
        store.acquires.clear();
        return granted(waiter);
    }

    private Duration remainingInStore() {
        return store.inspect(LockKey.of(KEY)).holder().orElseThrow().remaining();
    }

    @Test
    void fixed_lease_ends_for_others_when_it_ends_for_its_holder() {
        LockHandle handle = handedOver(REQUEST.lease(SHORT).renew(false));

        assertThat(remainingInStore()).isEqualTo(SHORT).isEqualTo(handle.remaining());
        time.pass(SHORT);
        assertThat(isFree(KEY)).isTrue();
    }

    @Test
    void minimum_hold_ends_for_others_when_it_is_over() {
        handedOver(REQUEST.lease(SHORT).minHold(SHORT)).close();

        assertThat(remainingInStore()).isBetween(SHORT, SHORT.plus(MILLI));
    }

    @Test
    void grant_by_message_is_used_for_the_lease_from_the_grant_on() {
        LockHandle handle = handedOver(REQUEST.lease(SHORT));

        assertThat(store.acquires).isEmpty();
        assertThat(handle.remaining()).isBetween(SHORT.minus(MILLI.multipliedBy(2)), SHORT.minus(MILLI));
    }

    @Test
    void grant_by_message_is_used_if_half_of_a_short_lease_is_left() {
        LockHandle handle = handedOver(REQUEST.lease(Duration.ofMillis(100)));

        assertThat(store.acquires).isEmpty();
        assertThat(handle.remaining()).isPositive().isLessThan(Duration.ofMillis(100));
    }

    @Test
    void extension_by_less_than_is_left_takes_nothing_away() {
        LockHandle handle = handedOver(REQUEST.lease(SHORT));

        handle.extend(Duration.ofMillis(100));

        assertThat(remainingInStore()).isBetween(handle.remaining(), SHORT);
    }

    @Test
    void writer_that_goes_on_as_a_reader_keeps_its_lease_and_no_longer_one() {
        LockRequest write = REQUEST.lease(SHORT);
        LockHandle writer = handedOver(write);
        LockHandle reader = granted(steps(write.shared()));

        writer.close();

        assertThat(store.inspect(LockKey.of(KEY)).holder().orElseThrow().mode()).isEqualTo(LockMode.SHARED);
        assertThat(remainingInStore()).isBetween(reader.remaining(), SHORT);
    }

    @ParameterizedTest
    @ValueSource(longs = {300, 500, 1_000, 2_000, 3_400, 4_900})
    void loss_is_noticed_within_a_third_of_the_lease(long millis) {
        Duration lease = Duration.ofMillis(millis);
        LockHandle handle = handedOver(REQUEST.lease(lease));
        store.leave(LockKey.of(KEY), Objects.requireNonNull(owner), Duration.ZERO, 0);
        store.reachable(true);

        time.pass(lease.dividedBy(3));

        EngineFixture.eventuallyByTheClock(() -> !handle.isHeld());
        assertThatThrownBy(handle::ensureHeld)
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        loss -> assertThat(loss.lossCause()).isEqualTo(LossCause.REVOKED));
    }

    /** The watchdog looks at the lock then, without extending it, and confirms it by that. */
    @Test
    void lease_that_is_not_renewed_any_more_ends_for_others_when_it_ends_for_its_holder() {
        LockHandle handle = handedOver(REQUEST.lease(SHORT).maxHold(Duration.ofMillis(100)));
        store.reachable(true);

        time.pass(SHORT.dividedBy(3));
        EngineFixture.eventuallyByTheClock(() -> remainingInStore().compareTo(SHORT) <= 0);

        Duration left = handle.remaining();
        assertThat(remainingInStore()).isBetween(left, left.plus(MILLI));
    }

    /** As far as the watchdog is concerned, which confirms the grant. */
    @Test
    void lock_whose_holder_has_died_is_free_when_its_lease_ends() {
        LockHandle handle = handedOver(REQUEST.lease(SHORT));
        store.reachable(true);
        time.pass(SHORT.dividedBy(3));
        EngineFixture.eventuallyByTheClock(() -> handle.remaining().equals(SHORT));

        assertThat(remainingInStore()).isEqualTo(SHORT);
    }

    private Steps steps(LockRequest request) {
        return steps(request, caller);
    }
}
