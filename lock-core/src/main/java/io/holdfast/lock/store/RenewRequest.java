package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;

/**
 * One lease to be renewed.
 *
 * @param key the lock
 * @param owner its holder
 * @param leaseMillis how long it is to last from now at least, in milliseconds
 */
public record RenewRequest(LockKey key, OwnerId owner, long leaseMillis) {}
