package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.MultiHandle;
import io.holdfast.lock.waiting.Budget;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Several locks, all or nothing. If they are all free, they are acquired {@linkplain AllAtOnce in one call}. Otherwise they are
 * acquired one after the other in the order of their keys, which is the same for every request. So each waiter waits for a key
 * that is greater than all keys it holds, and there is no cycle of waiters. One budget applies to all, and the acquisition waits
 * in one queue at a time.
 *
 * <p>A lock may be lost while the acquisition waits for the others: it was released by force, Redis forgot it, or its lease is
 * not renewed. For the caller, who has never held it, this is not a loss: all are given back, and the acquisition starts over
 * within the same budget.
 */
public final class MultiAcquisition implements Steps {

    private final Acquisition.Shared shared;
    private final List<Call> calls;
    private final Budget budget;
    private final List<Handle> taken;
    private boolean inOrder;
    private boolean last;
    private @Nullable Acquisition current;
    private @Nullable AcquireResult result;

    /** @param calls in the order of their keys, with one budget and one caller */
    public MultiAcquisition(Acquisition.Shared shared, List<Call> calls) {
        this.shared = shared;
        this.calls = calls;
        this.budget = calls.get(0).budget();
        this.taken = new ArrayList<>(calls.size());
    }

    @Override
    public AcquireResult result() {
        return Objects.requireNonNull(result);
    }

    /** All at once if that is possible, else in order. */
    @Override
    public long proceed() throws InterruptedException {
        if (!inOrder) {
            inOrder = true;
            result = new AllAtOnce(shared, calls).run();
            last = budget.remainingNanos() == 0;
        }
        long left = 0;
        while (left == 0 && result == null) {
            left = next();
        }
        return left;
    }

    private long next() throws InterruptedException {
        boolean through = false;
        try {
            Acquisition attempt = current;
            if (attempt == null) {
                attempt = new Acquisition(shared, calls.get(taken.size()));
                current = attempt;
            }
            long left = attempt.proceed();
            if (left == 0) {
                current = null;
                settle(attempt.result());
            }
            through = true;
            return left;
        } finally {
            if (!through) {
                giveBack();
            }
        }
    }

    private void settle(AcquireResult one) {
        if (!(one instanceof AcquireResult.Granted granted)) {
            giveBack();
            result = one;
            return;
        }
        taken.add((Handle) granted.handle());
        if (taken.size() == calls.size()) {
            allAreThere();
        }
    }

    /** Starts over if a lock was lost while it waited for the others; once more when the budget is spent. */
    private void allAreThere() {
        MultiHandle handle = new MultiHandle(taken);
        if (handle.isHeld()) {
            result = new AcquireResult.Granted(handle);
            return;
        }
        giveBack();
        if (last) {
            throw new LockStoreException(
                    "Locks " + calls.stream().map(Call::key).toList()
                            + " could not be acquired together: one was lost before the others were acquired. None"
                            + " of them is held. Check whether the lease is too short or Redis is slow.",
                    null,
                    false);
        }
        last = budget.remainingNanos() == 0;
    }

    private void giveBack() {
        MultiHandle handle = new MultiHandle(taken);
        taken.clear();
        handle.giveBack();
    }

    @Override
    public void interrupt(InterruptedException e) throws InterruptedException {
        if (current == null) {
            throw e;
        }
        try {
            current.interrupt(e);
        } catch (InterruptedException | RuntimeException | Error ended) {
            giveBack();
            throw ended;
        }
    }

    @Override
    public void abandon(Throwable why) {
        try {
            if (current != null) {
                current.abandon(why);
            }
        } finally {
            giveBack();
        }
    }
}
