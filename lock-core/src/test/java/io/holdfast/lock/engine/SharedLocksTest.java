package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.api.RemoteReadWriteLock;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Readers and writers, and semaphores. */
class SharedLocksTest extends EngineFixture {

    private static final LockRequest WRITE = LockRequest.of(KEY);
    private static final LockRequest READ = WRITE.shared();

    @Test
    void readers_hold_a_lock_together() {
        LockHandle mine = locks.acquire(READ);
        LockHandle theirs = others.acquire(READ);
        LockHandle siblings = onAnotherThread(() -> locks.acquire(READ));

        assertThat(List.of(mine, theirs, siblings)).allMatch(LockHandle::isHeld);
        assertThat(List.of(mine, theirs, siblings))
                .extracting(LockHandle::fencingToken)
                .doesNotHaveDuplicates();
    }

    @Test
    void writer_holds_a_lock_alone() {
        LockHandle writer = locks.acquire(WRITE);
        assertThat(others.tryAcquire(READ)).isEmpty();
        assertThat(others.tryAcquire(WRITE)).isEmpty();
        writer.close();

        LockHandle reader = others.acquire(READ);
        assertThat(locks.tryAcquire(WRITE)).isEmpty();
        reader.close();
        assertThat(locks.tryAcquire(WRITE)).isPresent();
    }

    @Test
    void holder_of_several_permits_takes_as_many_and_enters_again_with_no_more() {
        LockRequest permits = WRITE.shared(4);
        LockHandle three = locks.acquire(permits.weight(3));

        assertThat(others.tryAcquire(permits.weight(2))).isEmpty();
        others.acquire(permits).close();
        locks.acquire(permits.weight(3)).close();
        locks.acquire(permits).close();
        assertThatThrownBy(() -> locks.acquire(permits.weight(4)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("weight of 3")
                .hasMessageContaining("from the start");
        assertThat(locks.getLock(permits.weight(4)).tryLock()).isFalse();

        assertThat(three.isHeld()).isTrue();
        three.close();
        others.acquire(permits.weight(4)).close();
    }

    @Test
    void writer_reads_with_any_weight() {
        locks.acquire(WRITE);

        assertThat(locks.acquire(WRITE.shared(4).weight(3)).isHeld()).isTrue();
    }

    @Test
    void write_inside_read_is_refused_at_once_and_leaves_the_read_lock_intact() {
        LockHandle reader = locks.acquire(READ);
        store.acquires.clear();

        assertThatThrownBy(() -> locks.acquire(WRITE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "This thread holds lock '%s' in shared mode and requests it exclusively, so it would deadlock with itself. Release"
                                + " the shared lock first, or acquire the exclusive lock from the start.",
                        KEY);
        assertThatThrownBy(() -> locks.tryAcquire(WRITE)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> locks.getReadWriteLock(KEY).writeLock().lock())
                .isInstanceOf(IllegalStateException.class);
        assertThat(locks.getReadWriteLock(KEY).writeLock().tryLock()).isFalse();

        assertThat(store.acquires).isEmpty();
        assertThat(reader.isHeld()).isTrue();
        reader.close();
        assertThat(isFree()).isTrue();
    }

    /** What {@link java.util.concurrent.locks.Lock} wants. */
    @Test
    void try_lock_of_write_inside_read_is_false_at_once() throws InterruptedException {
        RemoteReadWriteLock lock = locks.getReadWriteLock(KEY);
        lock.readLock().lock();
        store.acquires.clear();

        assertThat(lock.writeLock().tryLock()).isFalse();
        assertThat(lock.writeLock().tryLock(1, TimeUnit.HOURS)).isFalse();
        assertThat(lock.writeLock().tryLock(Long.MAX_VALUE, TimeUnit.NANOSECONDS))
                .isFalse();
        assertThat(lock.writeLock().tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isFalse();

        assertThat(store.acquires).isEmpty();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        lock.readLock().unlock();
        assertThat(lock.writeLock().tryLock()).isTrue();
    }

    @Test
    void each_half_takes_away_its_own_kind_by_force() {
        LockHandle writer = locks.acquire(WRITE);
        assertThat(others.getReadWriteLock(KEY).readLock().forceUnlock()).isFalse();
        assertThat(locks.getReadWriteLock(KEY).readLock().forceUnlock()).isFalse();
        assertThat(writer.isHeld()).isTrue();
        assertThat(locks.getReadWriteLock(KEY).writeLock().forceUnlock()).isTrue();
        assertThat(writer.isHeld()).isFalse();

        LockHandle reader = others.acquire(READ);
        assertThat(others.getReadWriteLock(KEY).writeLock().forceUnlock()).isFalse();
        assertThat(others.getLock(KEY).forceUnlock()).isFalse();
        assertThat(reader.isHeld()).isTrue();
        assertThat(others.getReadWriteLock(KEY).readLock().forceUnlock()).isTrue();
        assertThat(reader.isHeld()).isFalse();
    }

    @Test
    void read_inside_write_needs_no_store() {
        LockHandle writer = locks.acquire(WRITE);
        store.acquires.clear();

        LockHandle reader = locks.acquire(READ);

        assertThat(store.acquires).isEmpty();
        assertThat(reader.fencingToken()).isEqualTo(writer.fencingToken());
        reader.close();
        assertThat(others.tryAcquire(READ)).isEmpty();
        writer.close();
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_is_shared_when_its_writer_goes_on_reading() {
        LockHandle writer = locks.acquire(WRITE);
        LockHandle reader = locks.acquire(READ);

        writer.close();

        assertThat(reader.isHeld()).isTrue();
        assertThat(reader.fencingToken()).isEqualTo(writer.fencingToken());
        assertThat(others.tryAcquire(WRITE)).isEmpty();
        LockHandle other = others.acquire(READ);
        reader.close();
        other.close();
        assertThat(isFree()).isTrue();
        assertThat(store.releases).hasSize(2);
    }

    @Test
    void write_is_refused_once_the_lock_was_shared() {
        LockHandle writer = locks.acquire(WRITE);
        LockHandle reader = locks.acquire(READ);
        writer.close();

        assertThatThrownBy(() -> locks.acquire(WRITE)).isInstanceOf(IllegalStateException.class);
        assertThat(reader.isHeld()).isTrue();
    }

    @Test
    void sharing_that_the_store_does_not_answer_is_repeated() {
        LockHandle writer = locks.acquire(WRITE);
        LockHandle reader = locks.acquire(READ);
        store.reachable(false);

        writer.close();

        store.reachable(true);
        assertThat(reader.isHeld()).isTrue();
        Awaitility.await().until(() -> others.tryAcquire(READ).isPresent());
        reader.close();
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void sharing_that_was_done_but_not_answered_is_no_loss() {
        LockHandle writer = locks.acquire(WRITE);
        LockHandle reader = locks.acquire(READ);
        store.afterNextCallHere(() -> {
            throw StoreSpy.unreachable();
        });

        writer.close();

        assertThat(reader.isHeld()).isTrue();
        reader.close();
        assertThat(isFree()).isTrue();
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void sharing_that_meets_the_release_is_no_loss() {
        LockHandle writer = locks.acquire(WRITE);
        LockHandle reader = locks.acquire(READ).detach();
        store.beforeNextCallHere(() -> {
            reader.close();
        });

        writer.close();

        assertThat(isFree()).isTrue();
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void sharing_after_a_forced_release_is_a_loss() {
        LockHandle writer = locks.acquire(WRITE);
        LockHandle reader = locks.acquire(READ);
        others.forceRelease(KEY);

        assertThat(catchThrowable(writer::close)).isInstanceOf(LockLostException.class);

        assertThat(reader.isHeld()).isFalse();
    }

    @Test
    void semaphore_lets_in_as_many_as_it_has_permits() {
        List<LockHandle> permits = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            permits.add(onAnotherThread(() -> locks.acquire(LockRequest.of(KEY).shared(3))));
        }
        assertThat(others.tryAcquire(LockRequest.of(KEY).shared(3))).isEmpty();

        permits.get(1).close();

        assertThat(others.tryAcquire(LockRequest.of(KEY).shared(3))).isPresent();
        assertThat(others.tryAcquire(LockRequest.of(KEY).shared(3)))
                .as("the thread that has a permit enters again")
                .isPresent();
    }

    @Test
    void thread_needs_one_permit_however_often_it_locks() {
        RemoteLock semaphore = locks.getSemaphore(KEY, 1);
        semaphore.lock();
        assertThat(semaphore.tryLock()).isTrue();
        assertThat(semaphore.holdCount()).isEqualTo(2);
        assertThat(store.acquires).hasSize(1);
        assertThat((boolean) onAnotherThread(() -> semaphore.tryLock())).isFalse();

        semaphore.unlock();
        assertThat(others.getSemaphore(KEY, 1).tryLock()).isFalse();
        semaphore.unlock();

        assertThat(others.getSemaphore(KEY, 1).tryLock()).isTrue();
    }

    @Test
    void halves_of_a_view_tell_what_the_thread_holds() {
        RemoteReadWriteLock view = locks.getReadWriteLock(KEY);
        view.readLock().lock();
        assertThat(view.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(view.writeLock().isHeldByCurrentThread()).isFalse();
        assertThat((boolean) onAnotherThread(() -> view.readLock().isHeldByCurrentThread()))
                .isFalse();
        assertThat(catchThrowable(view.writeLock()::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        view.readLock().unlock();

        view.writeLock().lock();
        assertThat(view.writeLock().isHeldByCurrentThread()).isTrue();
        assertThat(view.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(catchThrowable(view.readLock()::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        view.writeLock().unlock();
        assertThat(isFree()).isTrue();
    }

    @Test
    void write_half_knows_nothing_of_a_lock_that_is_held_for_reading() {
        RemoteReadWriteLock view = locks.getReadWriteLock(KEY);
        view.readLock().lock();

        assertThat(view.writeLock().isHeldByCurrentThread()).isFalse();
        assertThat(view.writeLock().holdCount()).isZero();
        assertThat(view.writeLock().remaining()).isZero();
        assertThat(catchThrowable(view.writeLock()::fencingToken)).isInstanceOf(IllegalMonitorStateException.class);

        assertThat(view.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(view.readLock().holdCount()).isEqualTo(1);
        assertThat(view.readLock().remaining()).isPositive();
        assertThat(view.readLock().fencingToken()).isPositive();
    }

    @Test
    void read_half_is_held_by_who_holds_the_lock_for_writing() {
        RemoteReadWriteLock view = locks.getReadWriteLock(KEY);
        view.writeLock().lock();

        for (RemoteLock half : List.of(view.readLock(), view.writeLock())) {
            assertThat(half.isHeldByCurrentThread()).isTrue();
            assertThat(half.holdCount()).isEqualTo(1);
            assertThat(half.remaining()).isPositive();
        }
        assertThat(view.readLock().fencingToken()).isEqualTo(view.writeLock().fencingToken());
    }

    @Test
    void halves_of_a_lost_lock_have_no_time_left_and_are_still_to_be_unlocked() {
        RemoteReadWriteLock view = locks.getReadWriteLock(KEY);
        view.readLock().lock();
        time.pass(Duration.ofMinutes(1));

        assertThat(view.readLock().isHeldByCurrentThread()).isFalse();
        assertThat(view.readLock().remaining()).isZero();
        assertThat(view.readLock().holdCount()).isEqualTo(1);
        assertThat(view.writeLock().holdCount()).isZero();
        assertThat(catchThrowable(view.readLock()::unlock)).isInstanceOf(LockLostException.class);
    }

    @Test
    void writer_goes_on_reading_through_its_view() {
        RemoteReadWriteLock view = locks.getReadWriteLock(KEY);
        view.writeLock().lock();
        view.readLock().lock();
        assertThat(view.readLock().holdCount()).isEqualTo(2);

        view.writeLock().unlock();

        assertThat(view.writeLock().holdCount()).isZero();
        assertThat(view.readLock().holdCount()).isEqualTo(1);
        assertThat(view.writeLock().isHeldByCurrentThread()).isFalse();
        assertThat(view.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(others.getReadWriteLock(KEY).readLock().tryLock()).isTrue();
        assertThat(others.getReadWriteLock(KEY).key().value()).isEqualTo(KEY);
        view.readLock().unlock();
        assertThat(view.readLock().holdCount()).isZero();
    }

    @Test
    void fair_view_is_a_lock_like_any_other() {
        RemoteLock fair = locks.getFairLock(KEY);
        fair.lock();
        assertThat(fair.tryLock()).isTrue();
        assertThat(others.getFairLock(KEY).tryLock()).isFalse();
        fair.unlock();
        fair.unlock();

        assertThat(others.getFairLock(KEY).tryLock()).isTrue();
        assertThat(store.acquires).allMatch(request -> request.fair());
    }

    @Test
    void all_holders_are_shown() {
        locks.acquire(READ.lease(Duration.ofSeconds(10)));
        others.acquire(READ.lease(Duration.ofSeconds(20)));

        List<LockHolder> holders = locks.inspect(KEY).holders();

        assertThat(holders).hasSize(2).allMatch(holder -> holder.mode() == LockMode.SHARED);
        assertThat(holders)
                .extracting(LockHolder::remaining)
                .containsExactlyInAnyOrder(Duration.ofSeconds(10), Duration.ofSeconds(20));
        assertThat(locks.forceRelease(KEY)).hasSize(2);
        assertThat(isFree()).isTrue();
    }
}
