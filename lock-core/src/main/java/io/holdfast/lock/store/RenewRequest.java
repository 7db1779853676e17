package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;

/**
 * One lease to be renewed.
 *
 * @param key the lock
 * @param owner the holder
 * @param leaseMillis its minimum remaining time from now, in milliseconds
 * @param limit as in the {@link AcquireRequest}
 */
public record RenewRequest(LockKey key, OwnerId owner, long leaseMillis, int limit) {

    /**
     * One lease of an exclusive lock.
     *
     * @param key the lock
     * @param owner the holder
     * @param leaseMillis its minimum remaining time from now, in milliseconds
     */
    public RenewRequest(LockKey key, OwnerId owner, long leaseMillis) {
        this(key, owner, leaseMillis, AcquireRequest.EXCLUSIVE);
    }
}
