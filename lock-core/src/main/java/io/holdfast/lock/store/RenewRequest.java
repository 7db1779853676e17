package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;

/**
 * One lease to be renewed.
 *
 * @param key the lock
 * @param owner the holder
 * @param leaseMillis the minimum of its remaining time from now, in milliseconds
 */
public record RenewRequest(LockKey key, OwnerId owner, long leaseMillis) {}
