package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.util.function.LongSupplier;

/**
 * What all places of a client have in common.
 *
 * @param store keeps the queues
 * @param clientId the client
 * @param sequences tell its acquisitions apart
 * @param ticker the clock
 * @param lines those of callers that want the same lock
 * @param entries those in the queues at the store
 * @param outages those who wait for a store that fails
 */
record Queues(
        LockStore store,
        String clientId,
        LongSupplier sequences,
        Ticker ticker,
        Lines lines,
        EntryKeeper entries,
        Outages outages) {

    /** An acquisition that is new to the store. */
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
