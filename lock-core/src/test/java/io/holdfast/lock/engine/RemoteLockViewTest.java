package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.api.RemoteReadWriteLock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The java.util.concurrent view. */
class RemoteLockViewTest extends EngineFixture {

    /** Like every single try: it is not a wait. */
    @Test
    void interrupt_does_not_end_a_try_without_time() throws InterruptedException {
        store.beforeAcquire = () -> {
            store.beforeAcquire = () -> {};
            Thread.currentThread().interrupt();
            throw io.holdfast.lock.testing.StoreSpy.unreachable();
        };

        assertThat(locks.getLock(KEY).tryLock(0, TimeUnit.SECONDS)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void lock_view_counts_and_unlocks_only_for_its_holder() {
        RemoteLock view = locks.getLock(KEY);
        assertThat(view.tryLock()).isTrue();
        assertThat(view.tryLock()).isTrue();
        assertThat(view.holdCount()).isEqualTo(2);
        assertThat(view.remaining()).isEqualTo(Duration.ofSeconds(30));
        assertThat(view.fencingToken()).isPositive();
        assertThat(onAnotherThread(() -> String.valueOf(view.holdCount()))).isEqualTo("0");
        assertThat(onAnotherThread(() -> view.tryLock() ? "locked" : "refused")).isEqualTo("refused");
        assertThat(onAnotherThread(() -> catchThrowable(view::unlock)))
                .isInstanceOf(IllegalMonitorStateException.class);

        view.unlock();
        view.unlock();

        assertThat(catchThrowable(view::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(catchThrowable(view::fencingToken)).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(view.remaining()).isZero();
        assertThat(isFree()).isTrue();
    }

    @Test
    void interrupted_thread_gets_no_lock_by_what_can_be_interrupted_although_it_holds_it() throws InterruptedException {
        RemoteLock view = locks.getLock(KEY);
        view.lock();

        Thread.currentThread().interrupt();
        assertThat(catchThrowable(view::lockInterruptibly)).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThat(catchThrowable(() -> view.tryLock(1, TimeUnit.SECONDS))).isInstanceOf(InterruptedException.class);

        assertThat(view.holdCount()).isEqualTo(1);
        assertThat(view.tryLock(1, TimeUnit.SECONDS)).isTrue();
        view.lockInterruptibly();
        assertThat(view.holdCount()).isEqualTo(3);
    }

    @Test
    void lock_view_tells_whether_anybody_holds_the_lock_in_its_mode() {
        RemoteLock view = locks.getLock(KEY);
        RemoteLock readers = locks.getReadWriteLock(KEY).readLock();
        assertThat(view.isLocked()).isFalse();

        LockHandle held = others.acquire(KEY);
        assertThat(view.isLocked()).isTrue();
        assertThat(view.isHeldByCurrentThread()).isFalse();
        assertThat(readers.isLocked()).isFalse();
        held.close();

        readers.lock();
        assertThat(readers.isLocked()).isTrue();
        assertThat(view.isLocked()).isFalse();
        readers.unlock();
    }

    @Test
    void lock_view_is_described_by_the_thread_that_holds_it_without_a_call_to_the_store() {
        RemoteLock view = locks.getLock(KEY);
        assertThat(view).hasToString("RemoteLock[order:42, EXCLUSIVE, not held by this client]");
        String thread = Thread.currentThread().getName();
        view.lock();
        locks.acquire(KEY);
        store.reachable(false);

        String held = "RemoteLock[order:42, EXCLUSIVE, held by thread '" + thread + "', hold count 2, token "
                + view.fencingToken() + "]";
        assertThat(view).hasToString(held);
        assertThat(onAnotherThread(view::toString)).isEqualTo(held);
        assertThat(onAnotherThread(others.getLock(KEY)::toString))
                .isEqualTo("RemoteLock[order:42, EXCLUSIVE, not held by this client]");

        time.pass(Duration.ofMinutes(1));
        assertThat(view).hasToString(held.replace("held by", "lost by"));
        assertThat(onAnotherThread(view::toString)).isEqualTo(view.toString());
    }

    @Test
    void views_of_a_pair_are_described_by_the_holds_of_their_mode() {
        RemoteReadWriteLock pair = locks.getReadWriteLock(KEY);
        LockHandle first =
                onAnotherThread(() -> locks.acquire(LockRequest.of(KEY).shared()));
        LockHandle second =
                onAnotherThread(() -> locks.acquire(LockRequest.of(KEY).shared()));

        assertThat(pair.writeLock()).hasToString("RemoteLock[order:42, EXCLUSIVE, not held by this client]");
        assertThat(pair.readLock().toString())
                .startsWith("RemoteLock[order:42, SHARED, held by thread '")
                .contains("token " + first.fencingToken(), "token " + second.fencingToken(), "; held by ");

        for (int i = 0; i < 3; i++) {
            onAnotherThread(() -> locks.acquire(LockRequest.of(KEY).shared()));
        }
        assertThat(pair.readLock().toString().split("; held by ")).hasSize(3);
    }

    @Test
    void view_of_a_masked_key_is_described_by_its_hash() {
        LockRequest request = LockRequest.of(KEY).maskKeys();
        locks.acquire(request);

        assertThat(locks.getLock(request).toString())
                .startsWith("RemoteLock[" + request.key().masked() + ", EXCLUSIVE, held by thread '")
                .doesNotContain(KEY);
    }

    @Test
    void lock_view_does_not_close_handles_of_the_template() {
        RemoteLock view = locks.getLock(KEY);
        LockHandle handle = locks.acquire(KEY);

        assertThat(catchThrowable(view::unlock)).isInstanceOf(IllegalMonitorStateException.class);

        assertThat(handle.isHeld()).isTrue();
    }

    @Test
    void unlock_of_a_lost_lock_says_so() {
        RemoteLock view = locks.getLock(KEY);
        view.lock();
        time.pass(Duration.ofMinutes(1));

        assertThat(view.isHeldByCurrentThread()).isFalse();
        assertThat(catchThrowable(view::unlock)).isInstanceOf(LockLostException.class);
        assertThat(view.holdCount()).isZero();
    }

    @Test
    void each_unlock_of_a_lock_that_was_lost_with_its_client_says_so() {
        RemoteLock view = locks.getLock(KEY);
        view.lock();
        view.lock();
        locks.close();
        assertThat(catchThrowable(view::lock)).hasMessageContaining("closed");

        assertThat(catchThrowable(view::unlock)).isInstanceOf(LockLostException.class);
        assertThat(catchThrowable(view::unlock)).isInstanceOf(LockLostException.class);

        assertThat(catchThrowable(view::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(locks.locks().ofCurrentThread()).isEmpty();
    }

    @Test
    void lock_view_has_no_conditions_and_can_be_unlocked_by_force() {
        RemoteLock view = locks.getLock(KEY);
        assertThat(catchThrowable(view::newCondition)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(view.forceUnlock()).isFalse();
        others.acquire(KEY);

        assertThat(view.forceUnlock()).isTrue();
        assertThat(isFree()).isTrue();
        assertThat(view).hasToString("RemoteLock[order:42, EXCLUSIVE, not held by this client]");
        assertThat(view.key().value()).isEqualTo(KEY);
    }

    @Test
    void lock_view_inside_a_handle_ends_with_its_thread_when_the_handle_is_closed() throws Exception {
        AtomicReference<LockHandle> handle = new AtomicReference<>();
        Thread worker = new Thread(() -> {
            handle.set(locks.acquire(KEY));
            locks.getLock(KEY).lock();
        });
        worker.start();
        worker.join();

        handle.get().close();

        assertFreedWhenTheLeaseIsDue();
    }

    @Test
    void lock_held_by_a_thread_that_died_is_freed() throws Exception {
        Thread worker = new Thread(() -> locks.getLock(KEY).lock());
        worker.start();
        worker.join();

        assertFreedWhenTheLeaseIsDue();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void handle_outlives_its_thread_although_a_lock_inside_it_ended_with_that() throws Exception {
        assertOutlivesItsThread(() -> locks.execute(KEY, () -> {}));
        assertOutlivesItsThread(() -> locks.execute(KEY, lock -> lock.detach().fencingToken()));
    }

    private void assertOutlivesItsThread(Runnable inside) throws InterruptedException {
        AtomicReference<LockHandle> handle = new AtomicReference<>();
        Thread worker = new Thread(() -> {
            handle.set(locks.acquire(KEY));
            inside.run();
        });
        worker.start();
        worker.join();

        time.pass(Duration.ofSeconds(12));
        eventuallyByTheClock(() -> !store.renewals.isEmpty() || isFree());

        assertThat(handle.get().isHeld()).isTrue();
        handle.get().close();
        store.renewals.clear();
    }

    /** The lease is not renewed, and is given back long before its end. */
    private void assertFreedWhenTheLeaseIsDue() {
        assertThat(isFree()).isFalse();
        time.pass(Duration.ofSeconds(12));
        eventuallyByTheClock(() -> isFree() && events.stream().anyMatch(LockEvent.Lost.class::isInstance));
        assertThat(store.renewals).isEmpty();
        assertThat(events)
                .filteredOn(LockEvent.Lost.class::isInstance)
                .extracting(event -> ((LockEvent.Lost) event).cause())
                .containsExactly(LossCause.THREAD_DIED);
    }

    @Test
    void forced_release_of_a_write_lock_takes_nothing_from_readers_of_the_same_client() {
        RemoteReadWriteLock view = locks.getReadWriteLock(KEY);
        view.readLock().lock();

        view.writeLock().forceUnlock();

        assertThat(view.readLock().isHeldByCurrentThread()).isTrue();
        view.readLock().unlock();
    }

    /** All its uses have ended with the client; the view tells of the loss once. */
    @Test
    void lock_that_a_closed_client_took_away_is_unlocked_once() {
        RemoteLock view = locks.getLock(KEY);
        view.lock();
        locks.close();

        assertThat(catchThrowable(view::unlock)).isInstanceOf(LockLostException.class);
        assertThat(catchThrowable(view::unlock)).isInstanceOf(IllegalMonitorStateException.class);
    }

    /** A clock that goes backwards by a nanosecond ends every wait. */
    @Test
    void lock_never_returns_without_the_lock() {
        try (LockHandle other = others.acquire(KEY);
                LockEngine engine = VirtualTime.builder(store)
                        .ticker(new AtomicLong()::getAndDecrement)
                        .build()) {
            RemoteLock view = engine.getLock(KEY);

            assertThat(catchThrowable(view::lock)).isInstanceOf(AssertionError.class);
            assertThat(catchThrowable(view::lockInterruptibly)).isInstanceOf(AssertionError.class);

            assertThat(view.isHeldByCurrentThread()).isFalse();
            assertThat(other.isHeld()).isTrue();
        }
    }
}
