package io.holdfast.lock.api;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A cycle of waiting callers: each waits for a lock that the next one holds, and the last one for a lock that the first one
 * holds. None of them can continue until one of them gives up, or loses a lock that it holds.
 *
 * @param waits the waits, in the order of the cycle
 */
public record Deadlock(List<NestedWait> waits) {

    private static final int MAX_DESCRIBED = 5;

    /** Copies the list. */
    public Deadlock {
        waits = List.copyOf(waits);
    }

    /** {@return a description for messages: the waits of the cycle, at most five of them} */
    public String describe() {
        String cycle =
                waits.stream().limit(MAX_DESCRIBED).map(NestedWait::describe).collect(Collectors.joining("; "));
        return waits.size() > MAX_DESCRIBED ? cycle + "; and " + (waits.size() - MAX_DESCRIBED) + " more" : cycle;
    }
}
