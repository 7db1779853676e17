package io.holdfast.lock.lease;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** A lane for each server. Used by the clock thread. */
final class RenewalLanes {

    private final Map<String, RenewalLane> lanes = new ConcurrentHashMap<>();
    private final Supplier<RenewalLoop> loops;
    private final boolean withThreads;

    RenewalLanes(Supplier<RenewalLoop> loops, boolean withThreads) {
        this.loops = loops;
        this.withThreads = withThreads;
    }

    void add(Batch batch) {
        lanes.computeIfAbsent(batch.server(), server -> new RenewalLane(loops.get()))
                .add(batch);
    }

    void wake() {
        if (withThreads) {
            lanes.values().stream().filter(RenewalLane::hasWork).forEach(RenewalLane::wake);
        }
    }

    void renewPending() {
        lanes.values().forEach(RenewalLane::renewPending);
    }

    void close() {
        lanes.values().forEach(RenewalLane::close);
    }
}
