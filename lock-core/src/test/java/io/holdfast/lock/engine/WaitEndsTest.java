package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A wait that ends without the lock leaves nothing behind, wherever it ends. */
@Timeout(120)
class WaitEndsTest extends ThreadsFixture {

    private static final Duration WAIT = Duration.ofSeconds(2);
    private static final int MAX_POINTS = 200;

    private final Thread waiter = Thread.currentThread();
    private final AtomicInteger points = new AtomicInteger();
    private volatile int chosen = -1;
    private volatile Runnable event = () -> {};
    private volatile boolean timePasses;
    private boolean interrupts;

    /** The waiting thread has come to a point where something may happen. */
    private void point() {
        if (Thread.currentThread() == waiter && points.getAndIncrement() == chosen) {
            event.run();
        }
    }

    @Override
    void paused() {
        if (timePasses && Thread.currentThread() == waiter) {
            time.pass(Duration.ofMillis(100));
            VirtualTime.keepEntries(locks);
            point();
        }
    }

    /** Waits once for each point of the wait; at that point, the event happens. */
    private void atEveryPoint(Runnable what, Duration heldByOthers, End... expected) {
        Set<End> ends = EnumSet.noneOf(End.class);
        event = what;
        timePasses = true;
        store.beforeAcquire = this::point;
        store.after = this::point;
        boolean happened = true;
        for (int i = 0; happened && i < MAX_POINTS; i++) {
            LockHandle held =
                    others.acquire(LockRequest.of(KEY).lease(heldByOthers).renew(false));
            points.set(0);
            chosen = i;
            End end = waitForTheLock();
            happened = points.get() > i;
            if (happened) {
                ends.add(end);
            }
            assertThat(Thread.interrupted()).isEqualTo(happened && interrupts);
            chosen = -1;
            giveBack(held);
            eventually(() -> waiters() == 0);
            eventually(this::isFree);
            assertThat(locks.held()).isEmpty();
            assertThat(locks.waiting()).isEmpty();
        }
        assertThat(happened).isFalse();
        assertThat(ends).containsExactlyInAnyOrder(expected);
    }

    private static void giveBack(LockHandle held) {
        try {
            held.close();
        } catch (LockLostException e) {
            assertThat(e.lossCause()).isEqualTo(LossCause.TIME_LIMIT_REACHED);
        }
    }

    /** How a wait may end. */
    private enum End {
        ACQUIRED,
        NOT_ACQUIRED,
        INTERRUPTED
    }

    private End waitForTheLock() {
        try (LockHandle handle = locks.acquire(LockRequest.of(KEY).waitFor(WAIT))) {
            assertThat(handle.isHeld()).isTrue();
            return End.ACQUIRED;
        } catch (LockNotAcquiredException e) {
            assertThat(locks.held()).isEmpty();
            assertThat(locks.waiting()).isEmpty();
            return End.NOT_ACQUIRED;
        } catch (LockInterruptedException e) {
            assertThat(locks.held()).isEmpty();
            assertThat(locks.waiting()).isEmpty();
            return End.INTERRUPTED;
        }
    }

    @Test
    void who_gives_up_in_line_learns_who_holds_the_lock() {
        try (LockHandle held = others.acquire(REQUEST)) {
            Future<LockHandle> front = waiting(locks, REQUEST);
            eventually(() -> waiters() == 1);
            Future<LockHandle> next = waiting(locks, REQUEST.waitFor(WAIT));

            time.pass(WAIT);

            assertThat(failure(next))
                    .isInstanceOfSatisfying(
                            LockNotAcquiredException.class,
                            e -> assertThat(e.holder())
                                    .hasValueSatisfying(holder ->
                                            assertThat(holder.fencingToken()).isEqualTo(held.fencingToken())));
            assertThat(front.isDone()).isFalse();
        }
    }

    @Test
    void interrupt_at_any_point_of_a_wait_leaves_nothing_behind_and_is_kept() {
        interrupts = true;
        atEveryPoint(waiter::interrupt, Duration.ofSeconds(1), End.INTERRUPTED, End.ACQUIRED);
    }

    @Test
    void timeout_at_any_point_of_a_wait_leaves_nothing_behind() {
        atEveryPoint(() -> time.pass(WAIT), Duration.ofSeconds(30), End.NOT_ACQUIRED);
    }

    @Test
    void timeout_at_any_point_of_a_wait_that_could_succeed_leaves_nothing_behind() {
        atEveryPoint(() -> time.pass(WAIT), Duration.ofSeconds(1), End.NOT_ACQUIRED, End.ACQUIRED);
    }

    @Test
    void thread_behind_one_that_is_interrupted_inherits_its_place() {
        LockHandle held = others.acquire(REQUEST);
        Worker interrupted = worker();
        Future<LockHandle> front = waiting(interrupted, locks, REQUEST);
        Future<LockHandle> next = waiting(locks, REQUEST);
        eventually(() -> waiters() == 1);

        interrupted.interrupt();

        assertThat(failure(front)).isInstanceOf(LockInterruptedException.class);
        assertThat(interrupted.keptInterrupt()).isTrue();
        eventually(() -> store.acquires.size() == 3);
        assertThat(store.acquires.get(2).owner())
                .isEqualTo(store.acquires.get(1).owner());
        held.close();
        get(next).close();
        assertThat(store.leaves).isEmpty();
        assertThat(waiters()).isZero();
    }

    @Test
    void thread_behind_one_whose_time_is_over_inherits_its_place() {
        LockHandle held = others.acquire(REQUEST);
        Future<LockHandle> front = waiting(locks, REQUEST.waitFor(WAIT));
        Future<LockHandle> next = waiting(locks, REQUEST);
        Future<LockHandle> later = waiting(thirds, REQUEST);
        eventually(() -> waiters() == 2);

        time.pass(WAIT);

        assertThat(failure(front)).isInstanceOf(LockNotAcquiredException.class);
        held.close();
        LockHandle handle = get(next);
        assertThat(later.isDone()).isFalse();
        handle.close();
        get(later).close();
        assertThat(waiters()).isZero();
    }

    @Test
    void last_of_several_who_give_up_one_after_the_other_gives_up_the_entry() {
        others.acquire(REQUEST);
        Worker first = worker();
        Worker second = worker();
        Worker third = worker();
        Future<LockHandle> one = waiting(first, locks, REQUEST);
        Future<LockHandle> two = waiting(second, locks, REQUEST);
        Future<LockHandle> three = waiting(third, locks, REQUEST);
        first.interrupt();
        assertThat(failure(one)).isInstanceOf(LockInterruptedException.class);
        third.interrupt();
        assertThat(failure(three)).isInstanceOf(LockInterruptedException.class);
        assertThat(waiters()).isOne();

        second.interrupt();

        assertThat(failure(two)).isInstanceOf(LockInterruptedException.class);
        assertThat(waiters()).isZero();
    }

    @Test
    void entry_is_given_up_when_the_last_question_is_refused_by_a_broken_store() {
        LockHandle held = others.acquire(REQUEST);
        Future<LockHandle> front = waiting(locks, REQUEST.waitFor(WAIT));
        eventually(() -> waiters() == 1);
        store.beforeAcquire = () -> {
            throw new LockStoreException("OOM command not allowed", null, false);
        };

        time.pass(WAIT);

        assertThat(failure(front)).isInstanceOf(LockStoreException.class);
        eventually(() -> waiters() == 0);
        store.beforeAcquire = () -> {};
        held.close();
        assertThat(isFree()).isTrue();
    }

    @Test
    void closing_the_client_ends_all_waits() {
        LockHandle held = others.acquire(REQUEST);
        Future<LockHandle> front = waiting(locks, REQUEST);
        Future<LockHandle> next = waiting(locks, REQUEST);
        Future<LockHandle> fair = waiting(locks, REQUEST.fair(true));

        locks.close();

        assertThat(failure(front)).isInstanceOf(IllegalStateException.class);
        assertThat(failure(next)).isInstanceOf(IllegalStateException.class);
        assertThat(failure(fair)).isInstanceOf(IllegalStateException.class);
        held.close();
        eventually(this::isFree);
    }
}
