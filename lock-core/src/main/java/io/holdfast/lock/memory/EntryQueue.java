package io.holdfast.lock.memory;

import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one lock: those in the queue, by ticket, and those that left it because the lock is reserved for them.
 *
 * <p>A dead entry goes when it comes to the head. Behind a live head that could take long, so whoever takes a new entry
 * also looks at {@link #SWEPT} others, at a place that moves on from call to call: each goes round the queue faster than
 * it grows.
 */
final class EntryQueue {

    private static final int SWEPT = 2;

    private final TreeMap<Long, QueueEntry> queue = new TreeMap<>();
    private final Map<OwnerId, QueueEntry> queued = new HashMap<>();
    private final Map<OwnerId, QueueEntry> reserved = new LinkedHashMap<>();
    private long lastTicket;
    private long cursor;

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Whether nobody waits, and the lock is reserved for nobody. */
    boolean isUnused() {
        return queue.isEmpty() && reserved.isEmpty();
    }

    @Nullable
    QueueEntry find(OwnerId owner) {
        QueueEntry entry = queued.get(owner);
        return entry != null ? entry : reserved.get(owner);
    }

    void take(AcquireRequest request, long now) {
        sweep(now);
        enqueue(new QueueEntry(request, ++lastTicket, now));
    }

    /** Gives up an entry, and the reservation that it may have. */
    void remove(OwnerId owner) {
        QueueEntry entry = queued.get(owner);
        if (entry != null) {
            dequeue(entry);
        }
        reserved.remove(owner);
    }

    /**
     * Whoever asks is alive, and was not missed as long as nobody has dropped its entry. An entry that was kept at a later time
     * shows that the clock went back.
     */
    void keep(OwnerId owner, long now) {
        QueueEntry entry = find(owner);
        if (entry != null) {
            if (entry.isImplausible(now)) {
                heedClock(now);
            }
            entry.keep(now);
        }
    }

    /** The first live entry; the dead ones before it go. */
    @Nullable
    QueueEntry head(long now) {
        while (!queue.isEmpty()) {
            QueueEntry first = queue.firstEntry().getValue();
            if (first.isImplausible(now)) {
                heedClock(now);
            }
            if (first.isAlive(now)) {
                return first;
            }
            dequeue(first);
        }
        return null;
    }

    /** The clock went back, and entries would live until it has caught up: they count from now, once. */
    void heedClock(long now) {
        Stream.concat(queue.values().stream(), reserved.values().stream())
                .filter(entry -> entry.isImplausible(now))
                .forEach(entry -> entry.keep(now));
    }

    void reserve(QueueEntry entry) {
        dequeue(entry);
        reserved.put(entry.owner(), entry);
    }

    boolean hasReserved() {
        return !reserved.isEmpty();
    }

    boolean isReserved(OwnerId owner) {
        return reserved.containsKey(owner);
    }

    /** The owner holds the lock for good, or not any more. */
    void confirm(OwnerId owner) {
        reserved.remove(owner);
    }

    /** The live entries among those whose reservations have ended. They are out of the queue until they are put back. */
    List<QueueEntry> takeLapsed(List<OwnerId> ended, long now) {
        List<QueueEntry> lapsed = new ArrayList<>();
        for (OwnerId owner : ended) {
            QueueEntry entry = reserved.remove(owner);
            if (entry != null && entry.isAlive(now)) {
                lapsed.add(entry);
            }
        }
        return lapsed;
    }

    void putBack(List<QueueEntry> entries) {
        entries.forEach(this::enqueue);
    }

    Waiters waiters() {
        if (queue.isEmpty()) {
            return Waiters.NONE;
        }
        return queue.values().stream().anyMatch(QueueEntry::isFair) ? Waiters.FAIR : Waiters.UNFAIR;
    }

    int countAlive(long now) {
        return (int) queue.values().stream().filter(entry -> entry.isAlive(now)).count();
    }

    /** How many entries are in the queue, dead ones included. */
    int length() {
        return queue.size();
    }

    private void enqueue(QueueEntry entry) {
        queue.put(entry.ticket(), entry);
        queued.put(entry.owner(), entry);
    }

    private void dequeue(QueueEntry entry) {
        queue.remove(entry.ticket());
        queued.remove(entry.owner());
    }

    private void sweep(long now) {
        for (int i = 0; i < SWEPT; i++) {
            Map.Entry<Long, QueueEntry> next = queue.higherEntry(cursor);
            cursor = next == null ? 0 : next.getKey();
            if (next != null && next.getValue().isImplausible(now)) {
                heedClock(now);
            }
            if (next != null && !next.getValue().isAlive(now)) {
                dequeue(next.getValue());
            }
        }
    }
}
