package io.holdfast.lock.waiting;

import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.testing.Requests;
import java.util.List;

/** A {@link QueueEntry}, for tests that take the place of its keeper. */
public final class EntryAccess {

    private EntryAccess() {}

    /** The store has answered a call that kept the entry. */
    public static void kept(QueueEntry entry, EntryReply.Kept reply, long askedAt, long answeredAt) {
        EntryKeeper.Row row = new EntryKeeper.Row(entry.key, askedAt);
        row.entries.put(entry.owner, entry);
        var time = new StoreTime(askedAt, answeredAt, reply.storeMicros());
        row.kept(Requests.entries(entry.key, List.of(entry.owner)), reply, time).forEach(QueueEntry::call);
    }
}
