package io.holdfast.lock.store;

import java.time.Duration;
import java.util.List;

/** The reply for the entries in one queue. */
public sealed interface EntryReply {

    /**
     * The entries are kept for another {@link LockStore#ENTRY_TIMEOUT}.
     *
     * @param called the owners that should request the lock now: it is reserved for them, or they have no entry, or no longer have one
     * @param storeMicros the store's time in microseconds, see {@link Reservation}
     * @param blockedFor the longest time that the caller should wait before it calls again
     */
    record Kept(List<OwnerId> called, long storeMicros, Duration blockedFor) implements EntryReply {}

    /**
     * This lock could not be read; the reply says nothing about other locks.
     *
     * @param reason the error of the store
     */
    record Failed(String reason) implements EntryReply {}
}
