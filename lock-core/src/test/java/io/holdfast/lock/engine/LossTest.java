package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LossCause;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A holder is told when its lock is lost. */
class LossTest extends EngineFixture {

    @Test
    void handle_turns_lost_at_its_deadline_and_says_so() {
        LockHandle handle = locks.acquire(KEY);
        AtomicReference<LockEvent.Lost> reported = new AtomicReference<>();
        handle.onLost(reported::set);
        store.reachable(false);
        time.pass(Duration.ofSeconds(30));

        assertThat(handle.isHeld()).isFalse();
        assertThat(handle.remaining()).isZero();
        assertThatThrownBy(handle::ensureHeld).isInstanceOf(LockLostException.class);
        Awaitility.await().untilAtomic(reported, org.hamcrest.Matchers.notNullValue());
        Awaitility.await().until(() -> events.stream().anyMatch(LockEvent.Lost.class::isInstance));
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
    }

    /** By its own thread, or by that of listeners, if the clock has found the loss meanwhile. */
    @Test
    void listener_added_after_the_loss_is_told() {
        LockHandle handle = locks.acquire(LockRequest.of(KEY).renew(false));
        time.pass(Duration.ofSeconds(30));
        AtomicReference<LockEvent.Lost> reported = new AtomicReference<>();

        handle.onLost(reported::set);

        Awaitility.await().untilAtomic(reported, org.hamcrest.Matchers.notNullValue());
        assertThat(reported.get().cause()).isEqualTo(LossCause.TIME_LIMIT_REACHED);
    }

    @Test
    void handle_is_not_held_longer_than_the_store_counts() {
        LockHandle handle = locks.acquire(
                LockRequest.of(KEY).lease(Duration.ofNanos(100_900_000)).renew(false));
        time.pass(Duration.ofNanos(100_500_000));

        assertThat(others.tryAcquire(KEY)).isPresent();
        assertThat(handle.isHeld()).isFalse();
    }

    @Test
    void extension_that_meets_its_own_release_is_no_loss() {
        LockHandle handle = locks.acquire(KEY);
        store.beforeNextCallHere(() -> {
            handle.close();
        });

        assertThatThrownBy(() -> handle.extend(Duration.ofMinutes(1))).isInstanceOf(IllegalStateException.class);
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void release_of_a_lost_handle_never_touches_the_next_holder() {
        LockHandle lost = locks.acquire(LockRequest.of(KEY).renew(false));
        time.pass(Duration.ofSeconds(30));
        LockHandle next = others.acquire(KEY);

        assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);

        assertThat(next.isHeld()).isTrue();
        Awaitility.await().until(() -> !store.leaves.isEmpty());
        assertThat(isFree()).isFalse();
    }

    @Test
    void forced_release_is_noticed_at_release() {
        LockHandle handle = locks.acquire(KEY);
        assertThat(others.forceRelease(KEY)).hasSize(1);

        assertThatThrownBy(handle::close)
                .isInstanceOfSatisfying(
                        LockLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.REVOKED));
        assertThat(others.forceRelease(KEY)).isEmpty();
    }

    @Test
    void forced_release_is_noticed_by_holders_of_the_same_client_at_once() {
        LockHandle handle = locks.acquire(KEY);
        onAnotherThread(() -> locks.forceRelease(KEY));

        assertThat(handle.isHeld()).isFalse();
        assertThatThrownBy(handle::ensureHeld)
                .isInstanceOfSatisfying(
                        LockLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.REVOKED));
    }

    @Test
    void forced_release_is_noticed_by_all_shared_holders_of_the_same_client() {
        LockHandle one = locks.acquire(LockRequest.of(KEY).shared());
        LockHandle two = onAnotherThread(() -> locks.acquire(LockRequest.of(KEY).shared()));

        assertThat(locks.forceRelease(KEY)).hasSize(2);

        assertThat(one.isHeld()).isFalse();
        assertThat(two.isHeld()).isFalse();
    }

    @Test
    void forced_release_harms_no_other_lock() {
        LockHandle other = locks.acquire("order:43");
        locks.acquire(KEY);

        locks.forceRelease(KEY);

        assertThat(other.isHeld()).isTrue();
        other.close();
    }

    @Test
    void forced_release_harms_no_grant_that_came_after_it() {
        LockRequest shared = LockRequest.of(KEY).shared();
        LockHandle lost = locks.acquire(shared).detach();
        LockHandle[] next = new LockHandle[1];
        store.afterNextCallHere(() -> {
            next[0] = locks.acquire(shared);
        });

        locks.forceRelease(KEY);

        assertThat(lost.isHeld()).isFalse();
        assertThat(next[0].isHeld()).isTrue();
    }

    @Test
    void handle_that_was_closed_before_a_forced_release_is_no_loss() {
        LockHandle handle = locks.acquire(KEY);
        store.beforeNextCallHere(() -> {
            handle.close();
        });

        locks.forceRelease(KEY);

        Awaitility.await().until(() -> events.stream().anyMatch(LockEvent.Released.class::isInstance));
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void listener_that_throws_breaks_nothing() {
        LockEngine broken = engine(event -> {
            throw new IllegalStateException("listener");
        });
        LockHandle handle = broken.acquire(KEY);
        AtomicReference<LockEvent.Lost> reported = new AtomicReference<>();
        handle.onLost(loss -> {
            throw new IllegalStateException("mine");
        });
        handle.onLost(reported::set);
        time.pass(Duration.ofMinutes(1));

        assertThat(handle.isHeld()).isFalse();
        Awaitility.await().untilAtomic(reported, org.hamcrest.Matchers.notNullValue());
        broken.close();
    }
}
