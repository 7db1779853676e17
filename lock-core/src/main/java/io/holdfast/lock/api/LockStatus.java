package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The state of a lock in the store at one point in time: who holds it, and who is waiting for it.
 *
 * @param key the lock
 * @param holders the holders, at most {@value #MAX_HOLDERS}: none, one exclusive holder, or several shared ones
 * @param queue the first waiting acquisitions in queue order, at most {@value #MAX_QUEUED}; none in a store without a queue, such as a
 *     quorum. Those for which the lock is reserved are also among the holders. Threads of one client that wait for the same exclusive
 *     lock share one entry unless the lock is fair
 * @param waiters the number of waiting callers. A dead one is counted for at most 3.4 s. Callers that wait in line behind a thread of
 *     their own client are included once the client has reported them, with its next renewal or within 0.5 s; those of this client at
 *     once
 * @param lastFencingToken the greatest fencing token handed out or reserved, if the store still remembers it; otherwise 0
 * @param longestWait how long the first of the waiters is known to have waited
 */
public record LockStatus(
        LockKey key,
        List<LockHolder> holders,
        List<LockWaiter> queue,
        int waiters,
        long lastFencingToken,
        Duration longestWait) {

    /** The maximum number of holders listed. */
    public static final int MAX_HOLDERS = 100;

    /** The maximum number of waiting acquisitions listed. */
    public static final int MAX_QUEUED = 20;

    /** Copies the lists. */
    public LockStatus {
        holders = List.copyOf(holders);
        queue = List.copyOf(queue);
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
