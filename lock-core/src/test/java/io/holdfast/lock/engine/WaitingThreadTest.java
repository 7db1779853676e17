package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that waits for a lock is woken, whatever runs on it between two looks. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class WaitingThreadTest {

    private static final LockRequest PATIENT = LockRequest.of("key").waitFor(Duration.ofHours(1));

    private final InMemoryLockStore store = new InMemoryLockStore();

    /** Runs something on the thread of an acquisition after each of its steps. */
    private record ScopeEnds(Supplier<Runnable> action) implements LockListener, LockListener.AcquisitionObserver {

        @Override
        public void onEvent(LockEvent event) {}

        @Override
        public AcquisitionObserver onAcquire(LockKey key, String name) {
            return this;
        }

        @Override
        public Scope onThread() {
            return () -> action.get().run();
        }

        @Override
        public void ended(LockEvent.OfLock outcome) {}
    }

    /** Uses up the permit that a wakeup has left, unless the other thread was waited for by it. */
    private static void block() {
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void listener_that_blocks_does_not_use_up_a_wakeup() {
        AtomicReference<LockHandle> held = new AtomicReference<>();
        AtomicInteger steps = new AtomicInteger();
        Runnable releaseAndBlock = () -> {
            if (steps.incrementAndGet() == 1) {
                NewThread.call(() -> {
                    held.get().close();
                    return null;
                });
                block();
            }
        };
        var blocking = new ScopeEnds(() -> held.get() == null ? () -> {} : releaseAndBlock);
        try (LockEngine locks = LockEngine.builder(store).listener(blocking).build()) {
            held.set(locks.acquire(PATIENT).detach());

            locks.acquire(PATIENT).close();

            assertThat(steps).hasValueGreaterThan(1);
        }
    }

    @Test
    void acquisition_whose_thread_cannot_wait_ends_and_leaves_nothing_behind() {
        List<LockEvent> events = new CopyOnWriteArrayList<>();
        try (LockEngine holder = LockEngine.builder(store).build();
                LockEngine locks = LockEngine.builder(store)
                        .listener(events::add)
                        .pause(nanos -> {
                            throw new IllegalStateException("no pause (on purpose)");
                        })
                        .build()) {
            LockHandle held = holder.acquire(PATIENT);

            assertThatThrownBy(() -> locks.acquire(PATIENT)).hasMessage("no pause (on purpose)");

            assertThat(events).hasAtLeastOneElementOfType(LockEvent.Failed.class);
            assertThat(locks.waiting()).isEmpty();
            held.close();
            holder.execute(PATIENT, lock -> null);
        }
    }

    @Test
    void failure_at_the_front_lets_the_next_one_in() {
        for (Duration minHold : List.of(Duration.ZERO, Duration.ofMillis(1))) { // handed off, and not
            LockRequest request = PATIENT.minHold(minHold);
            AtomicReference<Thread> unlucky = new AtomicReference<>();
            try (LockEngine locks = LockEngine.builder(store)
                    .ticker(() -> {
                        if (unlucky.compareAndSet(Thread.currentThread(), null)) {
                            throw new OutOfMemoryError("on purpose");
                        }
                        return System.nanoTime();
                    })
                    .build()) {
                LockHandle held = locks.acquire(request).detach();
                var waiters = new ArrayList<CompletableFuture<String>>();
                AtomicReference<Thread> first = new AtomicReference<>();
                waiters.add(NewThread.start(() -> {
                    first.set(Thread.currentThread());
                    return locks.execute(request, lock -> "first");
                }));
                waitUntilWaiting(locks, 1);
                waiters.add(NewThread.start(() -> locks.execute(request, lock -> "second")));
                waitUntilWaiting(locks, 2);

                unlucky.set(first.get());
                held.close();

                assertThatThrownBy(waiters.get(0)::join).hasRootCauseMessage("on purpose");
                assertThat(waiters.get(1).orTimeout(1, TimeUnit.MINUTES).join()).isEqualTo("second");
            }
        }
    }

    private static void waitUntilWaiting(LockEngine locks, int count) {
        Awaitility.await().until(() -> locks.waiting().size() == count);
    }
}
