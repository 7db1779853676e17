package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.waiting.Budget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;

/** Acquisitions of one client, step by step: one thread takes the steps of all of them, on virtual time. */
abstract class StepsFixture {

    static final Duration WAIT = Duration.ofMinutes(10);
    static final LockRequest REQUEST = request("order:42");
    private static final HolderInfo HERE = new HolderInfo("host", 1, "main");
    private static final Duration STEP = Duration.ofMillis(100);

    final FakeTicker time = new FakeTicker();
    final StoreSpy store = new StoreSpy(new InMemoryLockStore(time, time));
    final List<LockEvent> events = new CopyOnWriteArrayList<>();
    final List<String> woken = new ArrayList<>();
    final LockEngine locks =
            VirtualTime.builder(store).listener(events::add).ticker(time).build();
    private final Map<String, OwnerId> holders = new HashMap<>();

    static LockRequest request(String key) {
        return LockRequest.of(key).waitFor(WAIT);
    }

    @AfterEach
    final void close() {
        Thread.interrupted();
        store.reachable(true);
        store.after = () -> {};
        store.beforeAcquire = () -> {};
        locks.close();
    }

    /** An acquisition by a caller that no interrupt ends. */
    final Steps steps(String name, LockRequest request) {
        return steps(request, Caller.task(() -> woken.add(name)));
    }

    /** An acquisition by a caller whose wait an interrupt of this thread ends. */
    final Steps interruptible(String name, LockRequest request) {
        return steps(request, new Caller(new ConcurrentHashMap<>(), () -> woken.add(name), true, false, true));
    }

    final Steps steps(LockRequest request, Caller caller) {
        return locks.steps(
                locks.each(request),
                Budget.of(time, request.waitFor().orElse(Duration.ZERO).toNanos()),
                caller);
    }

    /** Continues. Returns for how long to wait. */
    static Duration proceed(Steps steps) {
        try {
            return Duration.ofNanos(steps.proceed());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void assertWaits(Steps steps) {
        assertThat(proceed(steps)).isPositive();
    }

    /** Its next step brings the lock. */
    static LockHandle granted(Steps steps) {
        assertThat(proceed(steps)).isZero();
        assertThat(steps.result()).isInstanceOf(Handle.class);
        return (Handle) steps.result();
    }

    static void assertRefused(Steps steps) {
        assertThat(proceed(steps)).isZero();
        assertThat(steps.result()).isInstanceOf(AcquireResult.Contended.class);
    }

    /** Another client holds the lock for an hour. */
    final void heldByOther(String key) {
        OwnerId owner = new OwnerId("other", holders.size());
        holders.put(key, owner);
        store.acquire(Requests.exclusive(LockKey.of(key), owner, 3_600_000, HERE, false));
        store.acquires.clear();
    }

    final void releasedByOther(String key) {
        store.release(new ReleaseRequest(LockKey.of(key), holders.remove(key)));
        store.releases.clear();
    }

    /** Lets time pass, with the polls of the client. */
    final void pass(Duration total) {
        for (long steps = total.dividedBy(STEP); steps > 0; steps--) {
            time.pass(STEP);
            VirtualTime.keepEntries(locks);
        }
    }

    final boolean isFree(String key) {
        return store.inspect(LockKey.of(key)).holder().isEmpty();
    }

    final int waiters(String key) {
        return queueLength(store, LockKey.of(key));
    }

    /** How many wait in the queue; a lock's snapshot also counts the callers behind them, as last reported. */
    static int queueLength(LockStore store, LockKey key) {
        StoreScan scan = store.openScan(key.value()).orElseThrow();
        while (scan.step()) {
            // until all locks have been read
        }
        return (int) scan.found().stream()
                .filter(lock -> lock.key().equals(key))
                .flatMap(lock -> lock.queue().stream())
                .filter(waiter -> !waiter.reserved())
                .count();
    }
}
