package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.OwnerId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The entries of this client in one lock's queue, and when they are polled next. Guarded by the {@link EntryKeeper}. */
final class EntryRow implements Comparable<EntryRow> {

    final LockKey key;
    private final long number;
    private final Map<OwnerId, QueueEntry> entries = new LinkedHashMap<>();
    /** How often in a row the store has failed for it. Guarded by the keeper's monitor. */
    int failures;

    /** When it is polled next; changed only while the row is not in the set that is ordered by it. */
    long pollAt;

    EntryRow(LockKey key, long number, long pollAt) {
        this.key = key;
        this.number = number;
        this.pollAt = pollAt;
    }

    void add(QueueEntry entry) {
        entries.put(entry.owner(), entry);
    }

    void remove(QueueEntry entry) {
        entries.remove(entry.owner());
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** A poll for some of the entries has returned. Returns those that are called; the others are not granted yet. */
    List<QueueEntry> kept(EntryRequest request, EntryReply.Kept reply, StoreTime time) {
        List<QueueEntry> called = new ArrayList<>();
        Set<OwnerId> owners = Set.copyOf(reply.called());
        for (OwnerId owner : request.owners()) {
            QueueEntry entry = entries.get(owner);
            if (entry != null && owners.contains(owner)) {
                called.add(entry);
            } else if (entry != null) {
                entry.answered(time);
            }
        }
        return called;
    }

    EntryRequest request() {
        return new EntryRequest(key, List.copyOf(entries.keySet()));
    }

    List<QueueEntry> entries() {
        return new ArrayList<>(entries.values());
    }

    /** By time, compared by difference, since the ticker may wrap. */
    @Override
    public int compareTo(EntryRow other) {
        long byTime = pollAt - other.pollAt;
        return byTime != 0 ? Long.signum(byTime) : Long.compare(number, other.number);
    }
}
