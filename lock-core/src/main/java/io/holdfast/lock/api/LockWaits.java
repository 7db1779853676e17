package io.holdfast.lock.api;

import java.util.List;

/**
 * The graph of who waits for whom, see {@link LockOverview#waits}.
 *
 * @param waits the waits of all clients for a lock while others are held, as last reported: a wait that has ended is removed within
 *     a second
 * @param deadlocks the cycles among them, each once
 */
public record LockWaits(List<NestedWait> waits, List<Deadlock> deadlocks) {

    /** Nobody who holds a lock waits for another one. */
    public static final LockWaits NONE = new LockWaits(List.of(), List.of());

    /** Copies the lists. */
    public LockWaits {
        waits = List.copyOf(waits);
        deadlocks = List.copyOf(deadlocks);
    }
}
