package io.holdfast.lock.api;

import java.util.List;

/**
 * What {@link LockOverview#scan} has found.
 *
 * @param locks the locks that are held or waited for, in the order of their keys
 * @param complete whether these are all; not if there are more than the limit, the time was over before all were read, a
 *     server did not respond, or locks moved to another node of a cluster meanwhile
 */
public record LockScan(List<LockStatus> locks, boolean complete) {

    /** Copies the list. */
    public LockScan {
        locks = List.copyOf(locks);
    }
}
