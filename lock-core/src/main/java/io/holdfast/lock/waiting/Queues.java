package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.util.function.LongSupplier;

/**
 * What all places of a client share.
 *
 * @param store keeps the queues
 * @param clientId the client
 * @param sequences numbers for its acquisitions
 * @param ticker the clock
 * @param lines the lines of callers that want the same lock
 * @param entries the entries in the queues at the store
 * @param outages the callers that wait for a store that fails
 */
record Queues(
        LockStore store,
        String clientId,
        LongSupplier sequences,
        Ticker ticker,
        Lines lines,
        EntryKeeper entries,
        Outages outages) {

    /** The id of a new acquisition. */
    OwnerId newOwner() {
        return new OwnerId(clientId, sequences.getAsLong());
    }

    QueueEntry openEntry(LockKey key) {
        return entries.open(key, newOwner());
    }

    Outages.Place joinOutage(LockKey key, boolean failing, Runnable waiter) {
        return outages.join(store.serverOf(key), failing, waiter);
    }
}
