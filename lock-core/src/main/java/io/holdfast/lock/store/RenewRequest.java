package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;

/**
 * One lease to be renewed.
 *
 * @param key the lock
 * @param owner the holder
 * @param leaseMillis its minimum remaining time from now, in milliseconds
 * @param limit as in the {@link AcquireRequest}
 * @param followers the callers behind the holder, for {@link LockStore#inspect}
 */
public record RenewRequest(LockKey key, OwnerId owner, long leaseMillis, int limit, Followers followers) {}
