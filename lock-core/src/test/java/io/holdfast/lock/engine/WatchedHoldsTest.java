package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.store.RenewRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a lock that is held for long, and what is told of it. */
@Timeout(120)
class WatchedHoldsTest extends EngineFixture {

    private <E extends LockEvent> List<E> reported(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Test
    void renewal_is_told() {
        locks.acquire(KEY);
        time.pass(Duration.ofSeconds(10));

        eventuallyByTheClock(() -> !reported(LockEvent.Renewed.class).isEmpty());

        assertThat(reported(LockEvent.Renewed.class).get(0).locks()).isEqualTo(1);
        assertThat(locks.lateRenewals()).isZero();
    }

    @Test
    void renewal_that_fails_is_told_and_late_until_one_goes_through() {
        locks.acquire(KEY);
        store.reachable(false);
        time.pass(Duration.ofSeconds(10));

        eventuallyByTheClock(() -> !reported(LockEvent.RenewalFailed.class).isEmpty());

        assertThat(reported(LockEvent.RenewalFailed.class).get(0).keys()).containsExactly(LockKey.of(KEY));
        assertThat(locks.lateRenewals()).isEqualTo(1);
        store.reachable(true);
        time.pass(Duration.ofSeconds(1));
        eventuallyByTheClock(() -> locks.lateRenewals() == 0);
    }

    @Test
    void request_says_for_itself_when_a_hold_is_long() {
        locks.acquire(LockRequest.of(KEY).warnAfter(Duration.ofSeconds(1)));
        locks.acquire(LockRequest.of("other").warnAfter(LockRequest.MAX_TIME));
        for (int i = 0; i < 7; i++) {
            int renewals = reported(LockEvent.Renewed.class).size();
            time.pass(Duration.ofSeconds(10));
            eventuallyByTheClock(() -> reported(LockEvent.Renewed.class).size() > renewals);
        }

        assertThat(reported(LockEvent.LongHeld.class))
                .extracting(each -> each.key().value())
                .containsExactly(KEY);
    }

    @Test
    void hold_that_lasts_for_longer_than_its_warning_is_told() {
        locks.acquire(LockRequest.of(KEY).name("order"));
        for (int i = 0; i < 7; i++) {
            int renewals = reported(LockEvent.Renewed.class).size();
            time.pass(Duration.ofSeconds(10));
            eventuallyByTheClock(() -> reported(LockEvent.Renewed.class).size() > renewals);
        }

        eventuallyByTheClock(() -> !reported(LockEvent.LongHeld.class).isEmpty());

        assertThat(reported(LockEvent.LongHeld.class))
                .singleElement()
                .satisfies(event -> assertThat(event.name()).isEqualTo("order"));
    }

    @Test
    void client_that_holds_a_lock_for_a_second_hears_from_then_on_that_it_was_taken_away() {
        LockHandle handle = locks.acquire(KEY);
        assertThat(locks.subscriptionState()).isEqualTo(LocalLocks.SubscriptionState.NOT_NEEDED);
        time.pass(Duration.ofSeconds(1));
        eventuallyByTheClock(() -> locks.subscriptionState() == LocalLocks.SubscriptionState.CONNECTED);

        others.forceRelease(KEY);

        eventuallyByTheClock(
                () -> !handle.isHeld() && !reported(LockEvent.Lost.class).isEmpty());
        assertThat(reported(LockEvent.Lost.class)).hasSize(1);
    }

    @Test
    void client_that_was_restored_hears_again_after_a_second() throws InterruptedException {
        locks.suspend(Duration.ZERO);
        locks.resume();
        locks.acquire(KEY);
        time.pass(Duration.ofSeconds(1));

        eventuallyByTheClock(() -> locks.subscriptionState() == LocalLocks.SubscriptionState.CONNECTED);
    }

    /** A fixed lease counts as well, if the outer hold is renewed: both hold the same lock. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lock_that_is_entered_again_for_longer_is_renewed_for_that_long(boolean renew) {
        locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(30)));
        locks.acquire(LockRequest.of(KEY).lease(Duration.ofMinutes(6)).renew(renew));
        store.renewals.clear(); // the reentry has extended the lease
        time.pass(Duration.ofMinutes(2));

        eventuallyByTheClock(() -> !store.renewals.isEmpty());

        assertThat(store.renewals.get(0)).extracting(RenewRequest::leaseMillis).containsExactly(360_000L);
    }

    @Test
    void fixed_lease_that_is_entered_again_by_who_wants_it_renewed_is_renewed_until_that_one_leaves() {
        LockHandle outer =
                locks.acquire(LockRequest.of(KEY).lease(Duration.ofMinutes(1)).renew(false));
        LockHandle inner = locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(30)));
        time.pass(Duration.ofSeconds(20));
        eventuallyByTheClock(() -> !reported(LockEvent.Renewed.class).isEmpty());

        inner.close();
        Duration left = outer.remaining();
        time.pass(left.minusMillis(1));
        assertThat(outer.isHeld()).isTrue();
        time.pass(Duration.ofMillis(1));
        assertThat(outer.isHeld()).isFalse();
    }
}
