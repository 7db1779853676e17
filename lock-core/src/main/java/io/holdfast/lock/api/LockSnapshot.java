package io.holdfast.lock.api;

import java.util.List;
import java.util.Optional;

/**
 * The state of a lock in the store at one point in time.
 *
 * @param key the lock
 * @param holders the holders: none, one exclusive holder, or any number of shared ones
 * @param waiters the number of waiting acquisitions across all clients. A dead waiter is counted for at most 3.4 s; threads of one client
 *     that wait for the same exclusive lock count as one unless the lock is fair
 * @param lastToken the greatest fencing token handed out or reserved, if the store still remembers it; otherwise 0
 */
public record LockSnapshot(LockKey key, List<LockHolder> holders, int waiters, long lastToken) {

    /** Copies the list. */
    public LockSnapshot {
        holders = List.copyOf(holders);
    }

    /** {@return whether anybody holds it} */
    public boolean isHeld() {
        return !holders.isEmpty();
    }

    /** {@return the holder, or any one of several shared holders; empty if nobody holds it} */
    public Optional<LockHolder> holder() {
        return holders.stream().findFirst();
    }
}
