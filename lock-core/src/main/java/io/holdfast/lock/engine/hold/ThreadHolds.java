package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.lease.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which locks each thread holds, and which locks any thread of this client holds.
 *
 * <p>A thread's map is written by that thread, and cleaned by whichever thread closes the last handle, so a handle that
 * is closed elsewhere leaves nothing behind. Whether an entry may still be reentered is decided by the lease alone.
 */
public final class ThreadHolds {

    private final ThreadLocal<Map<LockKey, Hold>> ofThread = ThreadLocal.withInitial(ConcurrentHashMap::new);
    private final Map<Lease, Hold> ofClient = new ConcurrentHashMap<>();
    private final Map<LockKey, Hold> exclusive = new ConcurrentHashMap<>();
    private volatile @Nullable CountDownLatch none;

    /** The current thread's map; handles keep it, to clean it from other threads. */
    public Map<LockKey, Hold> ofCurrentThread() {
        return ofThread.get();
    }

    public @Nullable Hold find(LockKey key) {
        return ofThread.get().get(key);
    }

    /** Lets the current thread reenter the locks in that map, and no others, while the action runs. */
    public void adopt(Map<LockKey, Hold> others, Runnable action) {
        Map<LockKey, Hold> own = ofThread.get();
        ofThread.set(others);
        try {
            action.run();
        } finally {
            ofThread.set(own);
        }
    }

    /**
     * Adds a hold.
     *
     * @param thread what its thread, or task, holds
     */
    public void add(Hold hold, Map<LockKey, Hold> thread) {
        Lease lease = hold.lease();
        thread.put(lease.key(), hold);
        ofClient.put(lease, hold);
        if (lease.isExclusive()) {
            exclusive.put(lease.key(), hold);
        }
    }

    public @Nullable Hold find(Lease lease) {
        return ofClient.get(lease);
    }

    public void remove(Lease lease) {
        Hold hold = ofClient.remove(lease);
        if (hold != null) {
            exclusive.remove(lease.key(), hold);
        }
        fewer();
    }

    /** A hold has ended, or its lease was lost. */
    void fewer() {
        CountDownLatch awaited = none;
        if (awaited != null && isNoneHeld()) {
            awaited.countDown();
        }
    }

    /**
     * Waits until nothing is held, for a client that acquires no new locks. Returns whether nothing is held. Lost locks are not
     * awaited. The latch is set before the records are read, and they are read after each removal and each loss, so one of the
     * two sees that nothing is held.
     */
    boolean awaitNone(Duration atMost) throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        none = latch;
        return isNoneHeld() || latch.await(TimeUnit.NANOSECONDS.convert(atMost), TimeUnit.NANOSECONDS);
    }

    private boolean isNoneHeld() {
        return ofClient.keySet().stream().allMatch(Lease::isLost);
    }

    /** What this client holds now, by its own records. */
    public List<Hold> all() {
        return List.copyOf(ofClient.values());
    }

    /** The leases of one lock that this client holds now, by its own records: several, if they are shared. */
    public List<Lease> leasesOf(LockKey key) {
        return ofClient.keySet().stream()
                .filter(lease -> lease.key().equals(key))
                .toList();
    }

    /** The hold of the thread of this client that certainly holds the lock exclusively now; or null. */
    @Nullable
    public Hold findLive(LockKey key) {
        Hold hold = exclusive.get(key);
        return hold != null && hold.lease().isExclusive() && hold.lease().isLive() ? hold : null;
    }
}
