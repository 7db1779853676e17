package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.store.OwnerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The holders of one lock: none, one exclusive, or several shared. Holds whose lease has ended stay until they are dropped. */
final class Holders {

    private final List<HoldRecord> holds = new ArrayList<>();

    /** The live hold of an owner; a lock that is kept after its release has none. */
    @Nullable
    HoldRecord find(OwnerId owner, long now) {
        for (HoldRecord hold : holds) {
            if (owner.equals(hold.owner()) && hold.isLive(now)) {
                return hold;
            }
        }
        return null;
    }

    @Nullable
    HoldRecord exclusive() {
        return holds.size() == 1 && holds.get(0).isExclusive() ? holds.get(0) : null;
    }

    boolean isEmpty() {
        return holds.isEmpty();
    }

    /** How much of the limit is taken. */
    long weight() {
        return holds.stream().mapToLong(HoldRecord::weight).sum();
    }

    void add(HoldRecord hold) {
        holds.add(hold);
    }

    void replace(HoldRecord old, HoldRecord next) {
        holds.set(holds.indexOf(old), next);
    }

    void remove(HoldRecord hold) {
        holds.remove(hold);
    }

    void remove(OwnerId owner) {
        holds.removeIf(hold -> owner.equals(hold.owner()));
    }

    /** Returns whose holds have ended. */
    List<OwnerId> dropEnded(long now) {
        List<OwnerId> ended = holds.stream()
                .filter(hold -> !hold.isLive(now))
                .map(HoldRecord::owner)
                .filter(Objects::nonNull)
                .toList();
        holds.removeIf(hold -> !hold.isLive(now));
        return ended;
    }

    Optional<LockHolder> describeAny(long now) {
        return describe(now).stream().findFirst();
    }

    List<LockHolder> describe(long now) {
        return holds.stream()
                .filter(hold -> hold.isLive(now))
                .map(hold -> hold.describe(now))
                .toList();
    }

    List<HoldRecord> all() {
        return List.copyOf(holds);
    }

    /** The lease ends, in no order. */
    List<Long> leaseEnds() {
        return holds.stream().map(HoldRecord::leaseEnd).toList();
    }
}
