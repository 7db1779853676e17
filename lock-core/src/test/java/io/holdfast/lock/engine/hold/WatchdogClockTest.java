package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The clock thread and the renewal threads, on the system's clock. */
@Timeout(60)
class WatchdogClockTest {

    private static final Duration LONG = Duration.ofDays(1);

    private final Set<Thread> before = Thread.getAllStackTraces().keySet();
    private final List<LockEvent.Lost> lost = new CopyOnWriteArrayList<>();
    private final StoreSpy store = new StoreSpy(new InMemoryLockStore());
    private final AtomicInteger failures = new AtomicInteger();
    private final HeldLocks locks = locks(store, this::nanos);

    private static HeldLocks locks(LockStore store, Ticker ticker) {
        return new HeldLocks(
                new ClientContext(store, new Cleanup(store), ticker, false, "client"),
                new EventPublisher(List.of()),
                0);
    }

    /** Fails on the clock thread while it is told to. */
    private long nanos() {
        if (Thread.currentThread().getName().equals("holdfast-clock")
                && failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new InternalError("simulated");
        }
        return System.nanoTime();
    }

    private Hold held(String key, Duration lease) {
        return held(locks, Ticker.SYSTEM, key, lease);
    }

    private Hold held(HeldLocks locks, Ticker ticker, String key, Duration lease) {
        long now = ticker.nanos();
        Hold hold = Holds.hold(
                LockKey.of(key),
                Holds.terms(lease),
                new OwnerId("client", now),
                1,
                now,
                now + lease.toNanos(),
                ticker,
                (each, loss) -> lost.add(loss));
        locks.add(hold, new HashMap<>());
        return hold;
    }

    private List<Thread> own() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast-") && !before.contains(thread))
                .toList();
    }

    private Thread sleepingClock() {
        Thread clock = own().stream()
                .filter(thread -> thread.getName().equals("holdfast-clock"))
                .findFirst()
                .orElseThrow();
        Awaitility.await().until(() -> clock.getState() == Thread.State.TIMED_WAITING);
        return clock;
    }

    @AfterEach
    void stop() {
        locks.watchdog.close();
    }

    /** The clock thread sleeps until the first hold is due. */
    @Test
    void hold_that_is_due_before_all_others_wakes_the_clock() {
        held("a", LONG);
        Awaitility.await() // after a second, for which it wakes up anyway
                .until(() ->
                        locks.client.queue().entries.subscriptionState() == LocalLocks.SubscriptionState.CONNECTED);
        sleepingClock();

        held("b", Duration.ofSeconds(9));

        Awaitility.await()
                .until(() -> store.renewals.stream()
                        .flatMap(List::stream)
                        .map(RenewRequest::key)
                        .anyMatch(LockKey.of("b")::equals));
    }

    @Test
    void doubt_wakes_the_clock() {
        Hold hold = held("a", LONG);
        sleepingClock();

        locks.doubt(hold.owner().sequence());

        Awaitility.await().until(() -> lost.size() == 1);
    }

    /** Else its flag would end every pause at once: a core at work for nothing, as long as the client lives. */
    @Test
    void clock_that_somebody_interrupts_sleeps_again() {
        held("a", LONG);
        Thread clock = sleepingClock();

        clock.interrupt();

        Awaitility.await().until(() -> !clock.isInterrupted() && clock.getState() == Thread.State.TIMED_WAITING);
    }

    /** Only this thread tells other threads of their losses. */
    @Test
    void clock_goes_on_after_an_error_outside_of_its_round() {
        Hold hold = held("a", LONG);
        Thread clock = sleepingClock();
        failures.set(3);
        LockSupport.unpark(clock);
        Awaitility.await().until(() -> failures.get() == 0);

        locks.doubt(hold.owner().sequence());

        Awaitility.await().until(() -> lost.size() == 1);
    }

    /** A test's clock stands still as a rule, and jumps while the holds are gone through: a rest by that clock would never end. */
    @Test
    void clock_rests_by_the_time_of_the_machine() {
        FakeTicker time = new FakeTicker();
        AtomicInteger rounds = new AtomicInteger();
        StoreSpy store = new StoreSpy(new InMemoryLockStore(time, time)) {
            @Override
            public String serverOf(LockKey key) {
                if (rounds.incrementAndGet() == 1) {
                    time.pass(Duration.ofMillis(100));
                }
                return super.serverOf(key);
            }
        };
        HeldLocks locks = locks(store, time);
        try {
            held(locks, time, "a", Duration.ofMillis(300));
            held(locks, time, "b", Duration.ofMillis(600));

            time.pass(Duration.ofMillis(100));

            Awaitility.await().until(() -> rounds.get() > 1);
        } finally {
            locks.watchdog.close();
        }
    }

    @Test
    void threads_end_with_their_watchdog() {
        locks.doubt(held("a", LONG).owner().sequence());
        Awaitility.await().until(() -> !store.renewals.isEmpty());
        List<Thread> own = own().stream()
                .filter(thread -> thread.getName().matches("holdfast-(clock|renewal)"))
                .toList();
        assertThat(own).hasSize(2);

        locks.watchdog.close();

        Awaitility.await().until(() -> own.stream().noneMatch(Thread::isAlive));
    }
}
