package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockOperations.Outcome;
import io.holdfast.lock.waiting.Budget;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several locks, all or nothing. If they are all free, they are taken {@linkplain AllAtOnce in one call}. Else they are
 * taken one after the other in the order of their keys, which is the same for every request; so whoever waits for one
 * holds only smaller keys, and a circle of waiters, each waiting for a key that is greater than all it holds, cannot
 * close. One budget serves all, and the acquisition waits in one queue at a time.
 *
 * <p>A lock may be lost while the others are waited for: it was released by force, Redis forgot it, or its lease was not to
 * be renewed. The caller has never held it, so that is no loss for the caller: all are given back, and the acquisition
 * starts over within the same budget.
 */
final class MultiAcquisition {

    /** What came of it. */
    sealed interface Result {

        record Acquired(ClosableHandle handle) implements Result {}

        record Refused(Outcome.Refused first) implements Result {}

        record WaitsForItself(String message) implements Result {}
    }

    private MultiAcquisition() {}

    /**
     * @param calls in the order of their keys, with one budget
     */
    static Result acquire(LockOperations operations, List<Call> calls) throws InterruptedException {
        if (calls.size() == 1) {
            Outcome outcome = operations.acquire(calls.get(0));
            Result ended = withoutLock(outcome);
            return ended != null ? ended : new Result.Acquired(((Outcome.Acquired) outcome).handle());
        }
        return acquireAll(operations, calls);
    }

    private static @Nullable Result withoutLock(Outcome outcome) {
        if (outcome instanceof Outcome.Refused refused) {
            return new Result.Refused(refused);
        }
        return outcome instanceof Outcome.WaitsForItself never ? new Result.WaitsForItself(never.message()) : null;
    }

    /** All at once if that is possible, else in order. */
    private static Result acquireAll(LockOperations operations, List<Call> calls) throws InterruptedException {
        Result atOnce = operations.allAtOnce(calls).run();
        return atOnce != null ? atOnce : acquireInOrder(operations, calls);
    }

    /** Starts over as long as a lock is lost while the others are waited for; once more when the budget is spent. */
    private static Result acquireInOrder(LockOperations operations, List<Call> calls) throws InterruptedException {
        Budget budget = calls.get(0).budget();
        boolean last;
        do {
            last = budget.remainingNanos() == 0;
            Result result = tryAll(operations, calls);
            if (result != null) {
                return result;
            }
        } while (!last);
        throw new LockStoreException(
                "Locks " + calls.stream().map(Call::key).toList()
                        + " could not be held together: one was lost before the others were there. Nothing is"
                        + " held. Check whether the lease is too short, or Redis slow.",
                null,
                false);
    }

    /** Returns null if one of them was lost before all were there. */
    private static @Nullable Result tryAll(LockOperations operations, List<Call> calls) throws InterruptedException {
        List<Handle> taken = new ArrayList<>(calls.size());
        boolean all = false;
        try {
            for (Call call : calls) {
                Outcome outcome = operations.acquire(call);
                Result ended = withoutLock(outcome);
                if (ended != null) {
                    return ended;
                }
                taken.add(((Outcome.Acquired) outcome).handle());
            }
            MultiHandle handle = new MultiHandle(taken);
            all = handle.isHeld();
            return all ? new Result.Acquired(handle) : null;
        } finally {
            if (!all) {
                new MultiHandle(taken).giveBack();
            }
        }
    }
}
