package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;

/**
 * A failure of the store, for callers that are waiting for a lock.
 *
 * @param since when the first call that failed was sent, on the ticker
 * @param failure the exception of the store
 */
public record Failing(long since, LockStoreException failure) {

    /**
     * {@return the exception for a caller whose time is up}
     *
     * @param key the lock
     */
    public LockStoreException over(LockKey key) {
        return new LockStoreException(
                "Redis failed while this call was waiting for lock '" + key
                        + "', and did not recover in time (outageTolerance, or waitFor if that is"
                        + " shorter): " + failure.getMessage(),
                failure,
                false);
    }
}
