package io.holdfast.lock.explore;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Looks into a store in memory, whose parts are its own business. */
final class StoreView {

    private final Object lock;

    private StoreView(Object lock) {
        this.lock = lock;
    }

    static StoreView of(InMemoryLockStore store) {
        return new StoreView(((Map<?, ?>) ObjectGraph.read(store, "locks")).get(World.KEY));
    }

    void write(StateWriter writer) {
        writer.write(lock);
    }

    /** Who has an entry, in the queue or with a reservation. */
    List<OwnerId> queued() {
        return lock == null
                ? List.of()
                : entries().keySet().stream().map(OwnerId.class::cast).toList();
    }

    /** Who has an entry, or holds the lock. */
    Set<OwnerId> owners(long now) {
        Set<OwnerId> owners = new HashSet<>();
        if (lock != null) {
            entries().forEach((owner, entry) -> add(owners, owner, (long) ObjectGraph.read(entry, "aliveUntil") - now));
            holds().forEach(hold ->
                    add(owners, ObjectGraph.read(hold, "owner"), (long) ObjectGraph.read(hold, "leaseEnd") - now));
        }
        return owners;
    }

    private static void add(Set<OwnerId> owners, Object owner, long left) {
        if (left > 0) {
            owners.add((OwnerId) owner);
        }
    }

    /** Whether the lock was ever granted. */
    boolean isKnown() {
        return lock != null && (long) ObjectGraph.read(lock, "lastFencingToken") > 0;
    }

    private Map<?, ?> entries() {
        return (Map<?, ?>) ObjectGraph.read(lock, "entries");
    }

    private List<OwnerId> reserved() {
        return queued().stream()
                .filter(owner -> (boolean) ObjectGraph.read(entries().get(owner), "reserved"))
                .toList();
    }

    private Collection<?> holds() {
        return (Collection<?>) ObjectGraph.read(lock, "holds");
    }

    /** When the owner's hold ends, on the store's ticker; or {@code otherwise} if it has none. */
    long leaseEnd(OwnerId owner, long otherwise) {
        if (lock != null) {
            for (Object hold : holds()) {
                if (owner.equals(ObjectGraph.read(hold, "owner"))) {
                    return (long) ObjectGraph.read(hold, "leaseEnd");
                }
            }
        }
        return otherwise;
    }

    /** How long the holds that are no reservations last, in nanoseconds. */
    long heldFor(long now) {
        long longest = 0;
        if (lock != null) {
            List<OwnerId> reserved = reserved();
            for (Object hold : holds()) {
                if (!reserved.contains((OwnerId) ObjectGraph.read(hold, "owner"))) {
                    longest = Math.max(longest, (long) ObjectGraph.read(hold, "leaseEnd") - now);
                }
            }
        }
        return longest;
    }
}
