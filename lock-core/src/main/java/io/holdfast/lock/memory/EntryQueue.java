package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockWaiter;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one lock, in the order in which they came. One that the lock is reserved for is not in the queue, and keeps its
 * place: it may need it again.
 *
 * <p>A dead entry goes when it comes to the head, and in any case when the next one is taken.
 */
final class EntryQueue {

    private final Map<OwnerId, EntryRecord> entries = new LinkedHashMap<>();

    /** Whether nobody waits, dead entries included. */
    boolean isEmpty() {
        return queue().findFirst().isEmpty();
    }

    /** Whether nobody waits, and the lock is reserved for nobody. */
    boolean isUnused() {
        return entries.isEmpty();
    }

    @Nullable
    EntryRecord find(OwnerId owner) {
        return entries.get(owner);
    }

    void take(AcquireRequest request, long now) {
        entries.values().removeIf(entry -> !entry.isAlive(now));
        entries.put(request.owner(), new EntryRecord(request, now));
    }

    /** Gives up an entry, and the reservation that it may have. */
    void remove(OwnerId owner) {
        entries.remove(owner);
    }

    /**
     * A caller that asks is alive; its pause had no effect as long as its entry was not dropped. An entry that was kept at a
     * later time shows that the clock went back.
     */
    void keep(OwnerId owner, long now) {
        EntryRecord entry = find(owner);
        if (entry != null) {
            if (entry.isImplausible(now)) {
                heedClock(now);
            }
            entry.keep(now);
        }
    }

    /** The first live entry; the dead ones before it go. */
    @Nullable
    EntryRecord head(long now) {
        for (EntryRecord first : queue().toList()) {
            if (first.isImplausible(now)) {
                heedClock(now);
            }
            if (first.isAlive(now)) {
                return first;
            }
            remove(first.owner());
        }
        return null;
    }

    /** The clock went back, and entries would live until it has caught up: they count from now, once. */
    void heedClock(long now) {
        entries.values().stream().filter(entry -> entry.isImplausible(now)).forEach(entry -> entry.keep(now));
    }

    boolean isReserved(OwnerId owner) {
        EntryRecord entry = find(owner);
        return entry != null && entry.isReserved();
    }

    /** The owner has confirmed its hold, or no longer holds the lock. */
    void confirm(OwnerId owner) {
        if (isReserved(owner)) {
            remove(owner);
        }
    }

    /** The live entries among those whose reservations have ended. They are out of the queue until they are put back. */
    List<EntryRecord> lapsed(List<OwnerId> ended, long now) {
        List<EntryRecord> lapsed = new ArrayList<>();
        for (OwnerId owner : ended) {
            EntryRecord entry = find(owner);
            if (entry != null && entry.isReserved()) {
                if (entry.isAlive(now)) {
                    lapsed.add(entry);
                } else {
                    remove(owner);
                }
            }
        }
        return lapsed;
    }

    void putBack(List<EntryRecord> lapsed) {
        lapsed.forEach(entry -> entry.reserved(false));
    }

    Waiters waiters() {
        if (isEmpty()) {
            return Waiters.NONE;
        }
        return queue().anyMatch(EntryRecord::isFair) ? Waiters.FAIR : Waiters.UNFAIR;
    }

    int countAlive(long now) {
        return (int) queue().filter(entry -> entry.isAlive(now)).count();
    }

    /** The live entries, reserved ones included, in their order. */
    Stream<LockWaiter> describe(long now) {
        return entries.values().stream().filter(entry -> entry.isAlive(now)).map(EntryRecord::describe);
    }

    /** How many entries are in the queue, dead ones included. */
    int length() {
        return (int) queue().count();
    }

    private Stream<EntryRecord> queue() {
        return entries.values().stream().filter(entry -> !entry.isReserved());
    }
}
