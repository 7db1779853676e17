package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The state of a lock in the store at one point in time.
 *
 * @param key the lock
 * @param holders the holders: none, one exclusive holder, or any number of shared ones
 * @param waiters the number of waiting callers. A dead one is counted for at most 3.4 s. Callers that wait in line behind a thread of
 *     their own client are included once it has told the store, with its next renewal or within 0.5 s; those of this client at once
 * @param lastToken the greatest fencing token handed out or reserved, if the store still remembers it; otherwise 0
 * @param waited how long the first of the waiters has waited, as far as is known
 */
public record LockSnapshot(LockKey key, List<LockHolder> holders, int waiters, long lastToken, Duration waited) {

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
