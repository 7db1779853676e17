package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Interrupts end waits, where they may, and are kept. */
class InterruptTest extends EngineFixture {

    /** Nothing is tidied in the background; entries are kept, or the waiter would know of a failure of the store. */
    private void nothingIsTidiedInTheBackground() {
        store.before = () -> {
            if (Thread.currentThread().getName().equals("holdfast-cleanup")) {
                throw StoreSpy.unreachable();
            }
        };
    }

    @Test
    void interrupted_wait_keeps_the_flag_and_leaves_nothing_behind() {
        LockHandle other = others.acquire(KEY);
        nothingIsTidiedInTheBackground();
        store.after = Thread.currentThread()::interrupt;

        assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockInterruptedException.class);

        store.after = () -> {};
        assertThat(Thread.interrupted()).isTrue();
        assertThat(locks.inspect(KEY).waiters()).isZero();
        other.close();
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_is_free_for_others_when_the_interrupt_is_seen() {
        LockHandle other = others.acquire(KEY);
        nothingIsTidiedInTheBackground();
        store.afterNextCallHere(() -> {
            other.close();
            Thread.currentThread().interrupt();
        });

        assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockInterruptedException.class);

        Thread.interrupted();
        assertThat(others.tryAcquire(KEY)).isPresent();
    }

    @Test
    void waiter_whose_call_the_driver_gave_up_for_the_interrupt_is_gone_when_it_is_seen() {
        others.acquire(KEY);
        store.afterNextCallHere(() -> {
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });

        assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockInterruptedException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(locks.inspect(KEY).waiters()).isZero();
        assertThat(store.acquire(store.acquires.get(1))).isInstanceOf(AcquireReply.Cancelled.class);
    }

    /** Sent again, it would end the hold of the next owner. */
    @Test
    void forced_release_that_the_driver_gave_up_for_an_interrupt_is_not_sent_again() {
        others.acquire(KEY);
        store.afterNextCallHere(() -> {
            locks.acquire(KEY);
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });

        assertThatThrownBy(() -> locks.forceRelease(KEY))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());

        assertThat(Thread.interrupted()).isTrue();
        assertThat(locks.inspect(KEY).holder()).isPresent();
    }

    @Test
    void interrupted_waiter_that_cannot_leave_at_once_leaves_in_the_background() {
        others.acquire(KEY);
        store.after = () -> {
            Thread.currentThread().interrupt();
            store.reachable(false);
        };

        assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockInterruptedException.class);

        assertThat(Thread.interrupted()).isTrue();
        store.after = () -> {};
        store.reachable(true);
        Awaitility.await().until(() -> locks.inspect(KEY).waiters() == 0);
    }

    @Test
    void locks_taken_before_the_interrupt_are_given_back_when_it_is_seen() {
        LockHandle other = others.acquire("b");
        store.after = () -> {
            if (store.acquires.size() == 3) {
                Thread.currentThread().interrupt();
            }
        };

        assertThatThrownBy(() -> locks.acquire(LockRequest.ofAll(List.of("a", "b"))))
                .isInstanceOf(LockInterruptedException.class);

        store.after = () -> {};
        Thread.interrupted();
        assertThat(locks.inspect("a").holder()).isEmpty();
        assertThat(locks.inspect("b").waiters()).isZero();
        other.close();
    }

    @Test
    void try_without_waiting_does_not_mind_an_interrupt() {
        Thread.currentThread().interrupt();

        Optional<LockHandle> handle = locks.tryAcquire(KEY);

        assertThat(handle).isPresent();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void interrupt_while_the_work_runs_does_not_hinder_release() {
        locks.execute(KEY, () -> Thread.currentThread().interrupt());

        assertThat(Thread.interrupted()).isTrue();
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_is_not_interruptible_and_keeps_the_flag() {
        others.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(2)).renew(false));
        Thread.currentThread().interrupt();
        RemoteLock view = locks.getLock(KEY);

        view.lock();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(view.isHeldByCurrentThread()).isTrue();
        view.unlock();
    }

    @Test
    void interruptible_lock_throws_and_clears_the_flag() {
        RemoteLock view = locks.getLock(KEY);

        Thread.currentThread().interrupt();
        assertThatThrownBy(view::lockInterruptibly).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> view.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isFalse();
        assertThat(isFree()).isTrue();
    }
}
