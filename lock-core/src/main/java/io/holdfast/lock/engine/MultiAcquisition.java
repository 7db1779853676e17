package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.LockOperations.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Several locks, all or nothing. They are taken one after the other in the order of their keys, which is the same for
 * every request; so whoever waits for one holds only smaller keys, and a circle of waiters, each waiting for a key that is
 * greater than all it holds, cannot close. One budget serves all, and the acquisition waits in one queue at a time.
 */
final class MultiAcquisition {

    /** What came of it. */
    sealed interface Result {

        record Acquired(ClosableHandle handle) implements Result {}

        record Refused(Outcome.Refused first) implements Result {}
    }

    private MultiAcquisition() {}

    /**
     * @param keys in their order
     * @param toCall makes the call for one of them
     */
    static Result acquire(LockOperations operations, List<LockKey> keys, Function<LockKey, Call> toCall)
            throws InterruptedException {
        if (keys.size() == 1) {
            Outcome outcome = operations.acquire(toCall.apply(keys.get(0)));
            return outcome instanceof Outcome.Refused refused
                    ? new Result.Refused(refused)
                    : new Result.Acquired(((Outcome.Acquired) outcome).handle());
        }
        return acquireAll(operations, keys, toCall);
    }

    private static Result acquireAll(LockOperations operations, List<LockKey> keys, Function<LockKey, Call> toCall)
            throws InterruptedException {
        List<Handle> taken = new ArrayList<>(keys.size());
        boolean all = false;
        try {
            for (LockKey key : keys) {
                Outcome outcome = operations.acquire(toCall.apply(key));
                if (outcome instanceof Outcome.Refused refused) {
                    return new Result.Refused(refused);
                }
                taken.add(((Outcome.Acquired) outcome).handle());
            }
            MultiHandle handle = new MultiHandle(taken);
            handle.ensureHeld();
            all = true;
            return new Result.Acquired(handle);
        } finally {
            if (!all) {
                new MultiHandle(taken).giveBack();
            }
        }
    }
}
