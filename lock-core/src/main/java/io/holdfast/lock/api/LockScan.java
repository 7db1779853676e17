package io.holdfast.lock.api;

import java.util.List;

/**
 * The result of {@link AllLocks#scan}.
 *
 * @param locks the locks that are held or waited for, in the order of their keys
 * @param complete whether these are all of them; false if there are more than the limit, if the timeout expired before all
 *     were read, if a server did not respond, or if locks moved to another node of a cluster during the scan
 * @param unreadable how many locks could not be read, because something else than Holdfast, or a later version, has changed them
 */
public record LockScan(List<LockStatus> locks, boolean complete, int unreadable) {

    /** Copies the list. */
    public LockScan {
        locks = List.copyOf(locks);
    }
}
