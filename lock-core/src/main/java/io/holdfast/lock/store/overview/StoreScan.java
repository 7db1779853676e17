package io.holdfast.lock.store.overview;

import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import java.util.List;

/**
 * A walk through the locks of a store that are held or waited for, step by step. The caller paces it. Used by one thread at a
 * time; there is nothing to close.
 *
 * <p>A lock that is held or waited for during the whole walk is found. Broken locks, and keys that are none, are passed over.
 */
public interface StoreScan {

    /**
     * Goes one step: one call to each server that is asked in it, which reads a bounded number of locks.
     *
     * @return whether there is a further step
     * @throws LockStoreException if the store did not answer or refused; if only some of its servers did, they are left out
     */
    boolean step();

    /** {@return how many locks were found so far} */
    int size();

    /** {@return whether no server was left out so far, and nothing moved between servers} */
    boolean isComplete();

    /** {@return what was found, each lock once, in any order; to be called once, after the last step that the caller wants} */
    List<LockStatus> found();
}
