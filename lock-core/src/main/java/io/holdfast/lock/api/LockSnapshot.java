package io.holdfast.lock.api;

import java.util.List;
import java.util.Optional;

/**
 * One lock as the store sees it at one moment.
 *
 * @param key the lock
 * @param holders who holds it: nobody, one exclusive holder, or any number of shared ones
 * @param waiters how many acquisitions, of all clients, wait for it; those that died are counted for 3 s at most, and
 *     threads of one client that wait for the same exclusive lock, and not for a fair one, count as one
 * @param lastToken the greatest fencing token handed out or reserved that the store remembers; 0 if none
 */
public record LockSnapshot(LockKey key, List<LockHolder> holders, int waiters, long lastToken) {

    /** Copies the list. */
    public LockSnapshot {
        holders = List.copyOf(holders);
    }

    /** {@return whether somebody holds it} */
    public boolean isHeld() {
        return !holders.isEmpty();
    }

    /** {@return who holds it, of several shared holders any one; empty if nobody does} */
    public Optional<LockHolder> holder() {
        return holders.stream().findFirst();
    }
}
