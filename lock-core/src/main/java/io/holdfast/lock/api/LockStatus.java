package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;

/**
 * The state of a lock in the store at one point in time: who holds it, and who is waiting for it.
 *
 * @param key the lock
 * @param holders the holders, at most {@value #MAX_HOLDERS}: none, one exclusive holder, or several shared ones
 * @param queue the first waiting acquisitions in queue order, at most {@value #MAX_QUEUED}. Those for which the lock is
 *     reserved are also among the holders. Threads of one client that wait for the same exclusive lock share one entry unless
 *     the lock is fair
 * @param waiters the number of waiting callers, as in {@link LockStatus#waiters()}
 * @param lastFencingToken the greatest fencing token handed out or reserved
 * @param waited how long the first of the waiters has waited, as in {@link LockStatus#waited()}
 */
public record LockStatus(
        LockKey key,
        List<LockHolder> holders,
        List<LockWaiter> queue,
        int waiters,
        long lastFencingToken,
        Duration waited) {

    /** The maximum number of holders listed. */
    public static final int MAX_HOLDERS = 100;

    /** The maximum number of waiting acquisitions listed. */
    public static final int MAX_QUEUED = 20;

    /** Copies the lists. */
    public LockStatus {
        holders = List.copyOf(holders);
        queue = List.copyOf(queue);
    }
}
