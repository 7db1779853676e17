package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Terms;
import org.jspecify.annotations.Nullable;

/** Gives a caller that already holds a lock another handle of it; calls the store only to extend the hold. */
public final class Reentry {

    private final ClientContext client;
    private final HeldLocks locks;

    public Reentry(ClientContext client, HeldLocks locks) {
        this.client = client;
        this.locks = locks;
    }

    /** Returns null if the caller does not hold the lock. */
    @Nullable
    AcquireResult reenter(Call call) {
        Hold hold = call.caller().holds().get(call.key());
        if (hold == null) {
            return null;
        }
        switch (hold.enter(call.terms().isExclusive())) {
            case ENTERED -> {}
            case NOTHING_TO_REENTER -> {
                call.caller().holds().remove(call.key(), hold);
                return null;
            }
            case NOT_ALONE -> {
                return new AcquireResult.WaitsForItself("This thread holds lock '" + call.key()
                        + "' in shared mode and requests it exclusively, so it would deadlock with itself. Release the shared lock first,"
                        + " or acquire the exclusive lock from the start.");
            }
        }
        return entered(call, hold);
    }

    private AcquireResult entered(Call call, Hold hold) {
        boolean wasRenewing = hold.isRenewing();
        Handle handle = call.handle(locks, hold);
        try {
            checkReentry(hold, call.terms());
            if (!hold.isExclusive() && call.terms().weight() > hold.weight()) {
                handle.close();
                return new AcquireResult.WaitsForItself("This thread holds lock '" + call.key() + "' with a weight of "
                        + hold.weight() + " and requests a weight of "
                        + call.terms().weight()
                        + ", so it would deadlock with itself. Acquire the largest weight from the start.");
            }
            stretch(hold, call.terms(), wasRenewing);
            return new AcquireResult.Granted(handle);
        } catch (RuntimeException | Error e) {
            handle.closeAfter(e);
            throw e;
        }
    }

    private static void checkReentry(Hold hold, Terms terms) {
        hold.throwIfLost();
        if (terms.minHoldNanos() > 0) {
            throw new IllegalStateException(
                    "This thread already holds lock '" + hold.key() + "', and a request with minHold is not reentrant."
                            + " Acquire the lock with minHold first, or omit minHold.");
        }
    }

    /** Extends the lease if the reentrant request needs more than is left; never shortens it. */
    private void stretch(Hold hold, Terms terms, boolean wasRenewing) {
        long wanted = terms.leaseNanos();
        if (hold.isLimitReached() || (wasRenewing && wanted <= hold.leaseNanos())) {
            return;
        }
        if (wasRenewing || client.ticker().nanos() + wanted - hold.deadline() > 0) {
            locks.extend(hold, wanted);
        }
        if (wasRenewing || terms.renew()) {
            hold.raiseLease(wanted);
        }
    }
}
