package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;

/**
 * One try to get a lock.
 *
 * @param key the lock
 * @param owner whose acquisition this is
 * @param leaseMillis how long the lock survives without renewal, in milliseconds
 * @param holder where the acquisition comes from
 * @param waiting whether the caller will ask again, and is to be counted among the waiters until then
 */
public record AcquireRequest(LockKey key, OwnerId owner, long leaseMillis, HolderInfo holder, boolean waiting) {}
