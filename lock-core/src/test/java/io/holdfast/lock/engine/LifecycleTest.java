package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LocalLocks.SubscriptionState;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.StoreSpy;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Events, shutdown, bad input. */
class LifecycleTest extends EngineFixture {

    private static final int MANY = 500;

    @Test
    void events_tell_the_life_of_a_lock() {
        locks.execute(KEY, () -> time.pass(Duration.ofSeconds(1)));
        others.acquire(KEY);
        locks.tryAcquire(KEY);
        locks.forceRelease(KEY);

        assertThat(events)
                .extracting(LockEvent::getClass)
                .isEqualTo(List.of(
                        LockEvent.Acquired.class,
                        LockEvent.Released.class,
                        LockEvent.NotAcquired.class,
                        LockEvent.ForceReleased.class));
        assertThat(((LockEvent.Released) events.get(1)).heldFor()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void client_that_was_closed_or_drained_before_its_first_lock_refuses_it() throws InterruptedException {
        LockEngine closed = LockEngine.builder(new InMemoryLockStore()).build();
        closed.close();
        closed.close();
        LockEngine drained = LockEngine.builder(new InMemoryLockStore()).build();
        assertThat(drained.drain(Duration.ZERO)).isTrue();

        for (LockEngine each : List.of(closed, drained)) {
            assertThat(each.held()).isEmpty();
            assertThatThrownBy(() -> each.acquire(KEY))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
            assertThat(each.executeAsync(LockRequest.of(KEY), lock -> CompletableFuture.completedFuture(1)))
                    .failsWithin(Duration.ofMinutes(1));
            assertThat(each.drain(Duration.ZERO)).isTrue();
            each.close();
        }
    }

    @Test
    void client_is_suspended_and_resumed_before_its_first_lock() throws InterruptedException {
        LockEngine client = LockEngine.builder(new InMemoryLockStore()).build();
        client.resume();
        client.suspend(Duration.ZERO);
        assertThatThrownBy(() -> client.acquire(KEY)).hasMessageContaining("checkpoint");

        client.resume();
        client.acquire(KEY).close();
        client.close();
    }

    @Test
    void closed_client_refuses_new_locks_and_frees_the_old_ones() {
        LockHandle handle = locks.acquire(KEY);
        AtomicReference<LockEvent.Lost> reported = new AtomicReference<>();
        handle.onLost(reported::set);

        locks.close();
        locks.close();

        assertThat(handle.isHeld()).isFalse();
        Awaitility.await().untilAtomic(reported, org.hamcrest.Matchers.notNullValue());
        assertThat(reported.get().cause()).isEqualTo(LossCause.CLOSED);
        assertThat(catchThrowable(() -> locks.acquire(KEY))).isInstanceOf(IllegalStateException.class);
        assertThat(catchThrowable(handle::close)).isInstanceOf(LockLostException.class);
        Awaitility.await().until(this::isFree);
    }

    @Test
    void lock_that_is_being_given_back_is_not_lost_when_the_client_is_closed() {
        LockHandle handle = locks.acquire(KEY);
        store.beforeNextCallHere(() -> {
            onAnotherThread(() -> {
                locks.close();
                return null;
            });
        });

        handle.close();

        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
        assertThat(isFree()).isTrue();
    }

    @Test
    void key_that_is_none_is_refused_before_anything_is_asked() {
        for (String bad : new String[] {null, "", "  ", "\uD800", "x".repeat(20_000)}) {
            assertThatThrownBy(() -> locks.acquire(bad)).isInstanceOf(LockKeyException.class);
        }
        assertThat(store.acquires).isEmpty();
    }

    @Test
    void everything_that_is_held_is_released_at_close() throws Exception {
        RunningTime.withoutPause(() -> {
            StoreSpy own = new StoreSpy(new InMemoryLockStore(time, time));
            LockEngine many = LockEngine.builder(own).ticker(time).build();
            for (int i = 0; i < MANY; i++) {
                many.acquire(KEY + ":" + i);
            }

            many.close(); // which takes two seconds at most

            assertThat(own.releases).hasSize(MANY);
            assertThat(many.held()).isEmpty();
        });
    }

    @Test
    void close_is_not_held_up_by_a_store_that_does_not_answer() {
        locks.acquire(KEY);
        store.reachable(false);

        locks.close();

        assertThat(store.releases).isNotEmpty();
    }

    @Test
    void nothing_is_remembered_of_locks_that_were_given_back() {
        LockHandle lost = locks.acquire(KEY);
        time.pass(Duration.ofMinutes(1));
        assertThat(catchThrowable(lost::close)).isInstanceOf(LockLostException.class);
        LockHandle elsewhere = locks.acquire(KEY);
        onAnotherThread(() -> {
            elsewhere.close();
            return null;
        });
        locks.execute(KEY, () -> {});

        assertThat(locks.held()).isEmpty();
    }

    @Test
    void listeners_that_are_not_there_yet_are_asked_for_again() {
        AtomicReference<List<LockListener>> available = new AtomicReference<>();
        LockEngine early = LockEngine.builder(store)
                .ticker(time)
                .listeners(() -> List.copyOf(java.util.Objects.requireNonNull(available.get())))
                .build();
        early.execute(KEY, () -> {});
        available.set(List.of(events::add));

        early.execute(KEY, () -> {});

        assertThat(events).hasSize(2);
        early.close();
    }

    /** It does not answer renewals until it is told to, and does not care for interrupts meanwhile. */
    /** It is the same client still: its state alone says that the grant comes too late. */
    @Test
    void lock_that_is_granted_while_the_client_is_closed_is_given_back() {
        store.afterCallsHere(() -> {
            store.after = () -> {};
            locks.close();
        });

        assertThatThrownBy(() -> locks.acquire(KEY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_that_is_granted_while_the_client_is_closed_is_not_kept_for_its_minimum_hold() {
        store.afterCallsHere(() -> {
            store.after = () -> {};
            locks.close();
        });

        assertThatThrownBy(() -> locks.acquire(LockRequest.of(KEY).minHold(Duration.ofMinutes(10))))
                .hasMessageContaining("closed");
        assertThat(isFree()).isTrue();
    }

    private static final class SlowStore extends StoreSpy {

        private final CountDownLatch asked = new CountDownLatch(1);
        private final CompletableFuture<Void> mayAnswer = new CompletableFuture<>();
        private final CountDownLatch answered = new CountDownLatch(1);

        SlowStore(LockStore delegate) {
            super(delegate);
        }

        @Override
        public List<RenewReply> renew(List<RenewRequest> requests) {
            asked.countDown();
            mayAnswer.join();
            List<RenewReply> replies = super.renew(requests);
            answered.countDown();
            return replies;
        }
    }

    /** The renewal of all that is held is on its way when the client is closed, and is answered after that. */
    @Test
    void everything_is_released_at_close_while_the_watchdog_is_busy() throws Exception {
        RunningTime.withoutPause(this::closeWhileTheWatchdogIsBusy);
    }

    private void closeWhileTheWatchdogIsBusy() throws Exception {
        SlowStore slow = new SlowStore(new InMemoryLockStore(time, time));
        LockEngine busy = LockEngine.builder(slow).ticker(time).build();
        List<LockHandle> handles = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            handles.add(busy.acquire(LockRequest.of(KEY + ":" + i).lease(Duration.ofSeconds(30))));
        }
        time.pass(Duration.ofSeconds(9));
        handles.add(busy.acquire(LockRequest.of("wakes the watchdog").lease(Duration.ofMillis(300))));
        time.pass(Duration.ofSeconds(2));
        slow.asked.await();

        busy.close();
        slow.mayAnswer.complete(null);
        slow.answered.await();

        assertThat(handles).noneMatch(LockHandle::isHeld);
        assertThat(busy.held()).isEmpty();
        for (int i = 0; i < MANY; i++) {
            assertThat(slow.inspect(LockKey.of(KEY + ":" + i)).holder()).isEmpty();
        }
    }

    /** A health probe asks every few seconds, also in an application that acquires no lock. */
    @Test
    void questions_do_not_make_a_client_start() throws InterruptedException {
        try (LockEngine client = LockEngine.builder(new InMemoryLockStore()).build()) {
            String id = client.client().id();
            assertThat(client.client().id()).isEqualTo(id);
            assertThat(client.held()).isEmpty();
            assertThat(client.waiting()).isEmpty();
            assertThat(client.wakeups()).isZero();
            assertThat(client.droppedEvents()).isZero();
            assertThat(client.lateRenewals()).isZero();
            assertThat(client.subscriptionState()).isEqualTo(SubscriptionState.NOT_NEEDED);
            assertThat(client.getLock(KEY)).asString().contains("not held by this client");
            assertThat(client.waits().nestedWaits()).isEmpty();
            assertThat(client.scan(LockScanRequest.ALL).locks()).isEmpty();
            assertThat(client).hasFieldOrPropertyWithValue("shared", null);

            client.acquire(KEY).close();
            assertThat(client.client().id()).isEqualTo(id);
            client.suspend(Duration.ZERO);
            client.resume();
            assertThat(client.client().id()).isNotEqualTo(id);
        }
    }

    /** A thread of a server, which outlives many applications. */
    @Test
    void thread_keeps_nothing_of_a_closed_client_whose_lock_it_has_not_released() {
        WeakReference<Object> hold = holdOfAClosedClient();
        Awaitility.await().until(() -> {
            System.gc();
            return hold.refersTo(null);
        });
    }

    private static WeakReference<Object> holdOfAClosedClient() {
        LockEngine client = LockEngine.builder(new InMemoryLockStore()).build();
        client.getLock(KEY).lock();
        WeakReference<Object> hold =
                new WeakReference<>(client.locks().all().iterator().next());
        client.close();
        return hold;
    }

    private static void collectGarbage() {
        WeakReference<Object> garbage = new WeakReference<>(new Object());
        Awaitility.await().until(() -> {
            System.gc();
            return garbage.refersTo(null);
        });
    }

    @Test
    void thread_remembers_its_locks_although_nothing_else_refers_to_them() throws InterruptedException {
        RemoteLock view = locks.getLock(KEY);
        view.lock();
        collectGarbage();
        assertThat(view.isHeldByCurrentThread()).isTrue();
        view.lock();
        view.unlock();

        locks.suspend(Duration.ZERO);
        locks.resume();
        collectGarbage();
        assertThatThrownBy(() -> locks.ensureHeld(Duration.ZERO)).isInstanceOf(LockLostException.class);
        assertThatThrownBy(view::unlock).isInstanceOf(LockLostException.class);
        locks.ensureHeld(Duration.ZERO);

        view.lock();
        locks.close();
        collectGarbage();
        assertThatThrownBy(view::unlock).isInstanceOf(LockLostException.class);
    }
}
