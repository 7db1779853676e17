package io.holdfast.lock.store;

import java.time.Duration;
import java.util.List;

/** The answer for the entries in one queue. */
public sealed interface EntryReply {

    /**
     * The entries are kept for another {@link LockStore#ENTRY_TIMEOUT}.
     *
     * @param called those that should ask for the lock now: it is reserved for them, or they have no entry (any more)
     * @param storeMicros the store's clock, see {@link Reservation}
     * @param blockedFor when it is worth while to ask again at the latest
     */
    record Kept(List<OwnerId> called, long storeMicros, Duration blockedFor) implements EntryReply {

        /** Copies the list. */
        public Kept {
            called = List.copyOf(called);
        }
    }

    /**
     * This lock could not be looked at; others could.
     *
     * @param reason what the store said
     */
    record Failed(String reason) implements EntryReply {}
}
