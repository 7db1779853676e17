package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.RemoteLock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A thread that holds a key enters again; nobody else does. */
class ReentrancyTest extends EngineFixture {

    @Test
    void holder_enters_again_without_asking_the_store() {
        try (LockHandle outer = locks.acquire(KEY)) {
            store.acquires.clear();
            try (LockHandle inner = locks.acquire(KEY)) {
                assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
            }
            assertThat(store.acquires).isEmpty();
            assertThat(store.releases).isEmpty();
            assertThat(outer.isHeld()).isTrue();
        }
        assertThat(store.releases).hasSize(1);
        assertThat(isFree()).isTrue();
    }

    @Test
    void template_and_lock_view_share_their_bookkeeping() {
        RemoteLock view = locks.getLock(KEY);
        view.lock();
        store.acquires.clear();

        locks.execute(KEY, () -> assertThat(view.holdCount()).isEqualTo(2));

        assertThat(store.acquires).isEmpty();
        assertThat(view.holdCount()).isEqualTo(1);
        view.unlock();
        assertThat(isFree()).isTrue();
    }

    @Test
    void another_thread_does_not_reenter() {
        locks.acquire(KEY);

        assertThat(onAnotherThread(() -> locks.tryAcquire(LockRequest.of(KEY).waitFor(Duration.ofSeconds(1)))))
                .isEmpty();
    }

    @Test
    void lease_that_another_thread_closed_is_not_reentered() {
        LockHandle handle = locks.acquire(KEY);
        onAnotherThread(() -> {
            handle.close();
            return null;
        });
        LockHandle other = others.acquire(KEY);

        assertThat(locks.tryAcquire(KEY)).isEmpty();
        assertThat(other.isHeld()).isTrue();
    }

    @Test
    void lost_lease_is_not_reentered_but_reported() {
        LockHandle handle = locks.acquire(KEY);
        time.pass(Duration.ofMinutes(1));

        assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockLostException.class);
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);

        locks.acquire(KEY).close();
    }

    @Test
    void detached_handle_is_not_reentered_and_holds_the_lock() {
        LockHandle handle = locks.acquire(KEY).detach();

        assertThat(locks.tryAcquire(KEY)).isEmpty();
        assertThat(handle.isHeld()).isTrue();
        onAnotherThread(() -> {
            handle.close();
            return null;
        });
        assertThat(isFree()).isTrue();
    }

    @Test
    void handle_that_another_thread_detached_is_not_reentered_and_holds_the_lock() {
        LockHandle handle = locks.acquire(KEY);

        onAnotherThread(handle::detach);

        assertThat(locks.getLock(KEY).isHeldByCurrentThread()).isFalse();
        assertThat(locks.tryAcquire(KEY)).isEmpty();
        assertThat(handle.isHeld()).isTrue();
        handle.close();
        assertThat(isFree()).isTrue();
    }

    @Test
    void inner_handle_can_be_detached_and_outlive_the_outer_one() {
        LockHandle outer = locks.acquire(KEY);
        LockHandle inner = locks.acquire(KEY);
        inner.detach();
        outer.close();

        assertThat(inner.isHeld()).isTrue();
        assertThat(locks.tryAcquire(KEY)).isEmpty();
        inner.close();
        assertThat(isFree()).isTrue();
    }

    @Test
    void reentry_with_a_longer_lease_extends() {
        LockHandle outer = locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(10)));

        locks.acquire(LockRequest.of(KEY).lease(Duration.ofMinutes(1)));

        assertThat(outer.remaining()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void reentry_with_a_shorter_lease_changes_nothing() {
        LockHandle outer = locks.acquire(KEY);

        locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(1)).renew(false));

        assertThat(outer.remaining()).isEqualTo(Duration.ofSeconds(30));
        assertThat(store.renewals).isEmpty();
    }

    @Test
    void reentry_with_the_same_lease_asks_for_nothing() {
        LockHandle outer = locks.acquire(KEY);
        time.pass(Duration.ofSeconds(5));

        locks.acquire(KEY);

        assertThat(store.renewals).isEmpty();
        assertThat(outer.remaining()).isEqualTo(Duration.ofSeconds(25));
    }

    @Test
    void reentry_with_a_longer_lease_extends_nothing_once_the_limit_of_the_hold_is_reached() {
        LockRequest limited = LockRequest.of(KEY).maxHold(Duration.ofSeconds(5));
        LockHandle outer = locks.acquire(limited);
        time.pass(Duration.ofSeconds(5));

        locks.acquire(limited.lease(Duration.ofMinutes(1)));

        assertThat(store.renewals).isEmpty();
        assertThat(outer.remaining()).isEqualTo(Duration.ofSeconds(25));
    }

    @Test
    void fixed_lease_inside_a_fixed_lease_gets_its_whole_time() {
        LockHandle outer =
                locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(10)).renew(false));
        time.pass(Duration.ofSeconds(8));

        locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(10)).renew(false));

        assertThat(outer.remaining()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void fixed_lease_inside_one_that_lasts_longer_asks_for_nothing() {
        LockHandle outer =
                locks.acquire(LockRequest.of(KEY).lease(Duration.ofMinutes(1)).renew(false));
        time.pass(Duration.ofSeconds(2)); // the ticker has wrapped

        LockHandle inner =
                locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(58)).renew(false));

        assertThat(store.renewals).isEmpty();
        assertThat(inner.remaining()).isEqualTo(Duration.ofSeconds(58));
        inner.close();
        outer.close();
    }

    @Test
    void failed_extension_at_reentry_leaves_the_outer_hold_as_it_was() {
        LockHandle outer = locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(10)));
        store.reachable(false);

        assertThatThrownBy(() -> locks.acquire(LockRequest.of(KEY).lease(Duration.ofMinutes(1))))
                .isInstanceOf(LockStoreException.class);

        store.reachable(true);
        assertThat(outer.isHeld()).isTrue();
        outer.close();
        assertThat(isFree()).isTrue();
    }

    @Test
    void request_with_a_minimum_hold_does_not_reenter() {
        try (LockHandle outer = locks.acquire(KEY)) {
            assertThatThrownBy(() -> locks.acquire(LockRequest.of(KEY).minHold(Duration.ofSeconds(1))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("minHold");
            assertThat(outer.isHeld()).isTrue();
        }
        assertThat(isFree()).isTrue();
    }
}
