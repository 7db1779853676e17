package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.lease.Lease;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which locks each thread holds, and which locks any thread of this client holds.
 *
 * <p>A thread's map is written by that thread, and cleaned by whichever thread closes the last handle, so a handle that
 * is closed elsewhere leaves nothing behind. Whether an entry may still be reentered is decided by the lease alone.
 */
final class ThreadHolds {

    private final ThreadLocal<Map<LockKey, Hold>> ofThread = ThreadLocal.withInitial(ConcurrentHashMap::new);
    private final Map<LockKey, Hold> ofClient = new ConcurrentHashMap<>();

    /** The current thread's map; handles keep it, to clean it from other threads. */
    Map<LockKey, Hold> ofCurrentThread() {
        return ofThread.get();
    }

    @Nullable
    Hold find(LockKey key) {
        return ofThread.get().get(key);
    }

    void add(Hold hold) {
        LockKey key = hold.lease().key();
        ofThread.get().put(key, hold);
        ofClient.put(key, hold);
    }

    void remove(Lease lease) {
        ofClient.computeIfPresent(lease.key(), (key, hold) -> hold.lease() == lease ? null : hold);
    }

    /** How many locks are known to be held, by this client's own books. */
    int size() {
        return ofClient.size();
    }

    /** What this client holds now, by its own books. */
    List<Hold> all() {
        return List.copyOf(ofClient.values());
    }

    /** The hold of some thread of this client that certainly has the lock now, or null. */
    @Nullable
    Hold findLive(LockKey key) {
        Hold hold = ofClient.get(key);
        return hold != null && hold.lease().isLive() ? hold : null;
    }
}
