package io.holdfast.lock.api;

import java.util.List;

/**
 * A lock in the store at one point in time: who holds it, and who waits for it.
 *
 * @param key the lock
 * @param holders the holders, at most {@value #MOST_HOLDERS}: none, one exclusive holder, or several shared ones
 * @param queue the first waiting acquisitions in their order, at most {@value #MOST_QUEUED}. Those that the lock is reserved for are
 *     among the holders as well. Threads of one client that wait for the same exclusive lock have one entry unless the lock is
 *     fair
 * @param waiters the number of waiting acquisitions of all clients, as in {@link LockSnapshot#waiters()}
 * @param lastToken the greatest fencing token handed out or reserved
 */
public record LockStatus(LockKey key, List<LockHolder> holders, List<LockWaiter> queue, int waiters, long lastToken) {

    /** How many holders are listed at most. */
    public static final int MOST_HOLDERS = 100;

    /** How many waiting acquisitions are listed at most. */
    public static final int MOST_QUEUED = 20;

    /** Copies the lists. */
    public LockStatus {
        holders = List.copyOf(holders);
        queue = List.copyOf(queue);
    }
}
