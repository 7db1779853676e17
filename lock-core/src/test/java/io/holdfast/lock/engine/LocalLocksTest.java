package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client says of itself: what it holds, who waits, and what its events are called. */
@Timeout(120)
class LocalLocksTest extends ThreadsFixture {

    private static final LockRequest NAMED = REQUEST.name("order");

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    @Override
    LockListener listener() {
        return events::add;
    }

    private <E extends LockEvent> List<E> reported(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Test
    void held_lock_is_listed_with_its_name_and_what_is_left_of_its_lease() {
        LockHandle handle = locks.acquire(NAMED.lease(Duration.ofSeconds(10)).renew(false));
        time.pass(Duration.ofSeconds(4));

        assertThat(locks.held())
                .containsExactly(new LocalLocks.HeldLock(
                        LockKey.of(KEY),
                        "order",
                        LockMode.EXCLUSIVE,
                        handle.fencingToken(),
                        Thread.currentThread().getName(),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(6)));
        handle.close();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void reentry_is_the_same_hold() {
        try (LockHandle outer = locks.acquire(NAMED);
                LockHandle inner = locks.acquire(REQUEST.name("another"))) {
            assertThat(outer.isHeld() && inner.isHeld()).isTrue();
            assertThat(locks.held()).extracting(LocalLocks.HeldLock::name).containsExactly("order");
        }
    }

    @Test
    void shared_hold_says_so() {
        try (LockHandle handle = locks.acquire(NAMED.shared())) {
            assertThat(handle.isHeld()).isTrue();
            assertThat(locks.held()).extracting(LocalLocks.HeldLock::mode).containsExactly(LockMode.SHARED);
        }
    }

    @Test
    void waiting_call_is_listed_until_it_has_the_lock() {
        LockHandle blocker = others.acquire(KEY);
        Worker worker = worker();
        Future<LockHandle> waiting = waiting(worker, locks, NAMED);
        time.pass(Duration.ofSeconds(1));

        assertThat(locks.waiting()).hasSize(1);
        LocalLocks.WaitingCall wait = locks.waiting().get(0);
        assertThat(wait.name()).isEqualTo("order");
        assertThat(wait.key()).isEqualTo(LockKey.of(KEY));
        assertThat(wait.thread()).isEqualTo(worker.thread().getName());
        assertThat(wait.waitedFor()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        blocker.close();
        get(waiting);
        assertThat(locks.waiting()).isEmpty();
    }

    @Test
    void call_that_waits_for_a_sibling_thread_is_listed_too() {
        LockHandle blocker = locks.acquire(KEY);
        Future<LockHandle> waiting = waiting(locks, NAMED);

        assertThat(locks.waiting()).extracting(LocalLocks.WaitingCall::name).containsExactly("order");
        blocker.close();
        get(waiting);
        assertThat(locks.waiting()).isEmpty();
    }

    @Test
    void wait_is_told_once_and_before_its_outcome() {
        LockHandle blocker = others.acquire(KEY);
        Future<LockHandle> waiting = waiting(locks, NAMED);
        blocker.close();
        get(waiting);

        assertThat(reported(LockEvent.Waiting.class)).containsExactly(new LockEvent.Waiting(LockKey.of(KEY), "order"));
        assertThat(events)
                .filteredOn(event -> event instanceof LockEvent.Waiting
                        || (event instanceof LockEvent.Acquired acquired
                                && acquired.name().equals("order")))
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("Waiting", "Acquired");
    }

    @Test
    void lock_that_is_free_is_not_waited_for() {
        locks.acquire(NAMED).close();

        assertThat(reported(LockEvent.Waiting.class)).isEmpty();
    }

    @Test
    void message_that_brings_the_lock_counts_as_a_wakeup() {
        LockHandle blocker = others.acquire(KEY);
        Future<LockHandle> waiting = waiting(locks, NAMED);
        assertThat(locks.wakeups()).isZero();
        blocker.close();
        get(waiting);

        assertThat(locks.wakeups()).isOne();
    }

    @Test
    void handoff_between_threads_is_told_apart_from_a_grant_of_the_store() {
        LockHandle first = locks.acquire(NAMED);
        Future<LockHandle> second = waiting(locks, NAMED);
        Future<LockHandle> third = waiting(locks, NAMED);
        first.close();
        LockHandle next = get(second);
        passMicro();
        next.close();
        get(third);

        assertThat(store.acquires).hasSize(2);
        assertThat(reported(LockEvent.Acquired.class))
                .extracting(LockEvent.Acquired::handoff)
                .containsExactly(false, false, true);
    }
}
