package io.holdfast.lock.api;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A cycle of waits: each waits for a lock that the next one holds, and the last one for a lock that the first one holds. None of
 * them goes on before one of them gives up, or loses what it holds.
 *
 * @param waits in the order of the cycle
 */
public record Deadlock(List<NestedWait> waits) {

    private static final int MOST_DESCRIBED = 5;

    /** Copies the list. */
    public Deadlock {
        waits = List.copyOf(waits);
    }

    /** {@return for a message: each wait of the cycle, at most five of them} */
    public String describe() {
        String cycle =
                waits.stream().limit(MOST_DESCRIBED).map(NestedWait::describe).collect(Collectors.joining("; "));
        return waits.size() > MOST_DESCRIBED ? cycle + "; and " + (waits.size() - MOST_DESCRIBED) + " more" : cycle;
    }
}
