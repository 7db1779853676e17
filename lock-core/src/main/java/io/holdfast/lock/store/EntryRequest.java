package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;
import java.util.List;
import java.util.Map;

/**
 * The entries of one client in the queue of one lock.
 *
 * @param key the lock
 * @param owners the waiting acquisitions
 * @param followers the callers behind each of them, for {@link LockStore#inspect}; none for those that are missing
 */
public record EntryRequest(LockKey key, List<OwnerId> owners, Map<OwnerId, Followers> followers) {}
