package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;

/**
 * The store fails, for somebody who is waiting for a lock.
 *
 * @param since when the first call that failed was sent, on the ticker
 * @param failure what the store said
 */
record Failing(long since, LockStoreException failure) {

    /**
     * {@return what the waiter's caller is told when its time is over}
     *
     * @param key what was waited for
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
