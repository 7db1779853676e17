package io.holdfast.lock.api;

import java.util.List;

/**
 * The wait-for graph: who is waiting for whom; see {@link AllLocks#waits}.
 *
 * @param nestedWaits the callers, in all clients, that are waiting for a lock while they hold others, as last reported; a wait that
 *     has ended is removed within a second
 * @param deadlocks the cycles among these waits, each listed once
 */
public record LockWaits(List<NestedWait> nestedWaits, List<Deadlock> deadlocks) {

    /** No caller that holds a lock is waiting for another one. */
    public static final LockWaits NONE = new LockWaits(List.of(), List.of());

    /** Copies the lists. */
    public LockWaits {
        nestedWaits = List.copyOf(nestedWaits);
        deadlocks = List.copyOf(deadlocks);
    }
}
