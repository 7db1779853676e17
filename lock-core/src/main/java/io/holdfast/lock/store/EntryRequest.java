package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;
import java.util.List;

/**
 * The entries of one client in the queue of one lock.
 *
 * @param key the lock
 * @param owners the waiting acquisitions
 */
public record EntryRequest(LockKey key, List<OwnerId> owners) {}
