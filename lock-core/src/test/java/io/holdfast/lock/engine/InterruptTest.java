package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.RemoteLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Interrupts end waits, where they may, and are kept. */
class InterruptTest extends EngineFixture {

    @Test
    void interrupted_wait_keeps_the_flag_and_leaves_nothing_behind() {
        LockHandle other = others.acquire(KEY);
        store.after = Thread.currentThread()::interrupt;

        assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockInterruptedException.class);

        store.after = () -> {};
        assertThat(Thread.interrupted()).isTrue();
        Awaitility.await().until(() -> locks.inspect(KEY).waiters() == 0);
        other.close();
        assertThat(isFree()).isTrue();
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
