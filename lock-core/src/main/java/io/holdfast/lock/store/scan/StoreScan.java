package io.holdfast.lock.store.scan;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import java.util.List;
import java.util.Set;

/**
 * A step-by-step scan of the locks of a store that are held or waited for. The caller sets the pace. Used by one thread at a
 * time; there is nothing to close.
 *
 * <p>A lock that is held or waited for throughout the scan is found, unless it is damaged. Keys that are not locks are skipped.
 */
public interface StoreScan {

    /**
     * Performs one step: at most one call to each server, each of which reads a bounded number of locks.
     *
     * @return whether there is another step
     * @throws LockStoreException if the store did not respond or rejected the call; if only some of its servers failed, they
     *     are skipped
     */
    boolean step();

    /** {@return the number of locks found so far} */
    int size();

    /** {@return whether no server has been skipped so far, and no locks have moved between servers} */
    boolean isComplete();

    /** {@return the locks that could not be read so far, because something else has changed them; none by default} */
    default Set<LockKey> unreadable() {
        return Set.of();
    }

    /** {@return the locks found, each once, in any order; called once, after the last step} */
    List<LockStatus> found();
}
