package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link QueueEntry}, for tests that take the place of its keeper. */
public final class EntryAccess {

    private final QueueEntry entry;

    public EntryAccess(LockKey key, OwnerId owner) {
        this.entry = new QueueEntry(key, owner);
    }

    public OwnerId owner() {
        return entry.owner();
    }

    public void rearm() {
        entry.rearm();
    }

    public StoreTime.@Nullable Believed claim() {
        return entry.claim();
    }

    /** The entry itself, to be read. */
    public Object read() {
        return entry;
    }

    public void granted(Reservation reservation, long heardAt) {
        entry.granted(reservation, heardAt);
    }

    /** The store has answered that the lock is not for this entry yet. */
    public void answered(long askedAt, long answeredAt, long storeMicros) {
        entry.answered(new StoreTime(askedAt, answeredAt, storeMicros));
    }

    /** The store has answered a call that kept the entry. */
    public void kept(EntryReply.Kept reply, long askedAt, long answeredAt) {
        EntryKeeper.Row row = new EntryKeeper.Row(entry.key(), 0);
        row.add(entry);
        var time = new StoreTime(askedAt, answeredAt, reply.storeMicros());
        row.kept(new EntryRequest(entry.key(), List.of(entry.owner())), reply, time)
                .forEach(QueueEntry::call);
    }
}
