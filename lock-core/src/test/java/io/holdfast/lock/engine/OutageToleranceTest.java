package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The store fails while threads wait for a lock. */
@Timeout(120)
class OutageToleranceTest extends ThreadsFixture {

    private static final LockRequest FAIR = REQUEST.fair(true);
    private static final Duration DEFAULT = Duration.ofSeconds(30);
    private static final Duration STEP = Duration.ofMillis(50);

    /** Two of it are less than the tolerance. */
    private static final Duration BEARABLE = Duration.ofSeconds(10);

    private final AtomicReference<InMemoryLockStore> memory = new AtomicReference<>();

    private final AtomicInteger pauses = new AtomicInteger();
    private final Set<OwnerId> unanswered = ConcurrentHashMap.newKeySet();
    private final List<OwnerId> sentAgain = new CopyOnWriteArrayList<>();

    @Override
    StoreSpy store(InMemoryLockStore kept) {
        return new StoreSpy(kept) {
            @Override
            public AcquireReply acquire(AcquireRequest request) {
                if (unanswered.contains(request.owner())) {
                    sentAgain.add(request.owner());
                }
                try {
                    return super.acquire(request);
                } catch (LockStoreException e) {
                    unanswered.add(request.owner());
                    throw e;
                }
            }
        };
    }

    @Override
    void paused() {
        pauses.incrementAndGet();
    }

    /** Lets time pass in steps, with the clients' polls. */
    private void pass(Duration total) {
        for (long steps = total.dividedBy(STEP); steps > 0; steps--) {
            time.pass(STEP);
            VirtualTime.keepEntries(locks);
            VirtualTime.keepEntries(others);
            VirtualTime.keepEntries(thirds);
        }
    }

    /**
     * Lets at most that time pass, and none while no waiting thread runs: a waiter must neither find the store failing for too long nor
     * wait for a time that never comes.
     */
    private void eventuallyWithin(Duration most, Callable<Boolean> condition) {
        AtomicInteger steps = new AtomicInteger((int) most.dividedBy(STEP));
        eventually(() -> {
            if (pauses.getAndSet(0) > 0 && steps.getAndDecrement() > 0) {
                pass(STEP);
            }
            return condition.call();
        });
    }

    private void fail() {
        store.reachable(false);
    }

    private void recover() {
        store.reachable(true);
    }

    @Test
    void waiter_gets_its_lock_after_an_outage() {
        for (LockRequest request : List.of(REQUEST, FAIR)) {
            LockHandle held = others.acquire(request);
            Future<LockHandle> waiter = waiting(locks, request);
            eventually(() -> waiters() == 1);
            fail();
            pass(DEFAULT.minusSeconds(2));
            assertThat(waiter.isDone()).isFalse();

            recover();
            time.pass(Duration.ofSeconds(1));

            eventuallyWithin(Duration.ofMillis(500), () -> waiters() == 1);
            forceFree(held);
            eventuallyWithin(BEARABLE, waiter::isDone);
            get(waiter).close();
            eventually(this::isFree);
        }
    }

    private void forceFree(LockHandle held) {
        others.forceRelease(KEY);
        assertThat(catchLoss(held)).isTrue();
    }

    private static boolean catchLoss(LockHandle held) {
        try {
            held.close();
            return false;
        } catch (io.holdfast.lock.api.LockLostException e) {
            return true;
        }
    }

    @Test
    void waiter_of_a_restored_client_gets_its_lock_after_an_outage() throws InterruptedException {
        locks.suspend(Duration.ZERO);
        locks.resume();
        LockHandle held = others.acquire(REQUEST);
        Future<LockHandle> waiter = waiting(locks, REQUEST);
        eventually(() -> waiters() == 1);
        fail();
        pass(Duration.ofSeconds(5));
        recover();
        forceFree(held);

        eventuallyWithin(BEARABLE, () -> waiter.isDone());
        get(waiter).close();
    }

    @Test
    void threads_behind_the_front_wait_on_as_well() {
        LockHandle held = locks.acquire(REQUEST);
        Future<LockHandle> front = waiting(locks, REQUEST);
        Future<LockHandle> next = waiting(locks, REQUEST);
        fail();
        held.close();
        pass(Duration.ofSeconds(5));
        assertThat(front.isDone() || next.isDone()).isFalse();

        recover();

        eventuallyWithin(BEARABLE, () -> front.isDone());
        get(front).close();
        eventuallyWithin(BEARABLE, () -> next.isDone());
        get(next).close();
        eventually(this::isFree);
    }

    @Test
    void thread_behind_a_front_that_gives_up_waits_on_for_as_long_as_it_may() {
        LockHandle held = others.acquire(REQUEST);
        Future<LockHandle> front = waiting(locks, REQUEST.outageTolerance(Duration.ofSeconds(3)));
        Future<LockHandle> next = waiting(locks, REQUEST);
        eventually(() -> waiters() == 1);
        fail();
        pass(Duration.ofSeconds(5));

        assertThat(failure(front)).isInstanceOf(LockStoreException.class);
        pass(Duration.ofSeconds(5));
        assertThat(next.isDone()).isFalse();

        recover();
        forceFree(held);
        eventuallyWithin(BEARABLE, () -> next.isDone());
        get(next).close();
    }

    @Test
    void waiters_fail_together_when_the_outage_lasts_for_too_long() {
        others.acquire(REQUEST);
        List<Future<LockHandle>> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(waiting(locks, REQUEST));
            all.add(waiting(locks, FAIR));
        }
        eventually(() -> waiters() == 4);
        fail();
        pass(Duration.ofSeconds(29));
        assertThat(all).noneMatch(Future::isDone);

        time.pass(Duration.ofSeconds(2));

        assertThat(all)
                .allSatisfy(waiter -> assertThat(failure(waiter))
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageContaining("cannot be reached"));
    }

    @Test
    void waiter_whose_time_is_over_during_an_outage_is_told_of_the_outage() {
        others.acquire(REQUEST);
        Future<LockHandle> front = waiting(locks, REQUEST.waitFor(Duration.ofSeconds(5)));
        Future<LockHandle> next = waiting(locks, REQUEST.waitFor(Duration.ofSeconds(5)));
        Future<LockHandle> fair = waiting(locks, FAIR.waitFor(Duration.ofSeconds(5)));
        eventually(() -> waiters() == 2);
        fail();
        pass(Duration.ofSeconds(2));
        int asked = store.acquires.size();

        time.pass(Duration.ofSeconds(4));

        for (Future<LockHandle> waiter : List.of(front, next, fair)) {
            assertThat(failure(waiter)).isInstanceOf(LockStoreException.class);
        }
        assertThat(store.acquires).hasSize(asked);
    }

    @Test
    void waiters_without_tolerance_fail_at_once_and_the_store_is_not_asked_for_each() {
        LockRequest intolerant = REQUEST.outageTolerance(Duration.ZERO);
        others.acquire(REQUEST);
        List<Future<LockHandle>> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(waiting(locks, intolerant));
            all.add(waiting(locks, intolerant.fair(true)));
        }
        eventually(() -> waiters() == 4);
        int asked = store.acquires.size();
        fail();

        pass(Duration.ofSeconds(1));

        assertThat(all).allSatisfy(waiter -> assertThat(failure(waiter)).isInstanceOf(LockStoreException.class));
        assertThat(store.acquires).hasSize(asked);
    }

    @Test
    void first_try_fails_at_once_also_behind_others_who_wait_on() {
        others.acquire(REQUEST);
        Future<LockHandle> waiter = waiting(locks, REQUEST);
        eventually(() -> waiters() == 1);
        fail();
        pass(Duration.ofSeconds(1));

        assertThat(failure(worker().acquire(locks, REQUEST))).isInstanceOf(LockStoreException.class);
        assertThat(failure(worker().acquire(thirds, REQUEST))).isInstanceOf(LockStoreException.class);

        assertThat(waiter.isDone()).isFalse();
    }

    @Test
    void interrupt_and_close_end_the_wait_at_once() {
        others.acquire(REQUEST);
        Worker interrupted = worker();
        Worker alone = worker();
        Future<LockHandle> front = waiting(interrupted, locks, REQUEST);
        Future<LockHandle> fair = waiting(alone, locks, FAIR);
        Future<LockHandle> next = waiting(locks, REQUEST);
        eventually(() -> waiters() == 2);
        fail();
        pass(Duration.ofSeconds(1));

        interrupted.interrupt();
        alone.interrupt();
        assertThat(failure(front)).isInstanceOf(LockInterruptedException.class);
        assertThat(failure(fair)).isInstanceOf(LockInterruptedException.class);
        assertThat(next.isDone()).isFalse();
        locks.close();
        assertThat(failure(next)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void try_whose_outcome_is_unknown_is_undone_and_repeated_as_another_one() {
        LockHandle held = locks.acquire(REQUEST);
        Future<LockHandle> next = waiting(locks, REQUEST);
        store.after = () -> {
            throw StoreSpy.unreachable();
        };
        held.close();
        eventuallyWithin(BEARABLE, () -> unanswered.size() >= 3);

        store.after = () -> {};

        eventuallyWithin(BEARABLE, () -> next.isDone());
        assertThat(get(next).isHeld()).isTrue();
        assertThat(sentAgain).isEmpty();
        eventually(() -> store.leaves.containsAll(unanswered));
        assertThat(store.inspect(LockKey.of(KEY)).holder()).isPresent();
    }
}
