package io.holdfast.lock.explore;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

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
        List<OwnerId> owners = new ArrayList<>();
        if (lock != null) {
            Object queue = entries();
            ((Map<?, ?>) ObjectGraph.read(queue, "queued")).keySet().forEach(owner -> owners.add((OwnerId) owner));
            owners.addAll(reserved());
        }
        return owners;
    }

    /** Whether the lock was ever granted. */
    boolean isKnown() {
        return lock != null && (long) ObjectGraph.read(ObjectGraph.read(lock, "occupancy"), "lastToken") > 0;
    }

    private Object entries() {
        return ObjectGraph.read(ObjectGraph.read(lock, "occupancy"), "entries");
    }

    private List<OwnerId> reserved() {
        List<OwnerId> owners = new ArrayList<>();
        ((Map<?, ?>) ObjectGraph.read(entries(), "reserved")).keySet().forEach(owner -> owners.add((OwnerId) owner));
        return owners;
    }

    private Collection<?> holds() {
        return (Collection<?>)
                ObjectGraph.read(ObjectGraph.read(ObjectGraph.read(lock, "occupancy"), "holders"), "holds");
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
