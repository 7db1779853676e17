package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HandleOperations;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.lease.LeaseKeeper;
import org.jspecify.annotations.Nullable;

/** Gives a caller that already holds a lock another handle of it; calls the store only to extend the lease. */
public final class Reentry {

    private final ClientContext client;
    private final LeaseKeeper keeper;
    private final HandleOperations handles;

    public Reentry(ClientContext client, LeaseKeeper keeper, HandleOperations handles) {
        this.client = client;
        this.keeper = keeper;
        this.handles = handles;
    }

    /** Returns null if the caller does not hold the lock. */
    @Nullable
    AcquireResult reenter(Call call) {
        Hold hold = call.caller().holds().get(call.key());
        if (hold == null) {
            return null;
        }
        Lease lease = hold.lease();
        switch (lease.enter(call.terms().isExclusive())) {
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
        Lease lease = hold.lease();
        boolean wasRenewing = lease.isRenewing();
        Handle handle = call.handle(handles, hold);
        try {
            checkReentry(lease, call.terms());
            if (!lease.isExclusive() && call.terms().weight() > hold.weight()) {
                handle.close();
                return new AcquireResult.WaitsForItself("This thread holds lock '" + call.key() + "' with a weight of "
                        + hold.weight() + " and requests a weight of "
                        + call.terms().weight()
                        + ", so it would deadlock with itself. Acquire the largest weight from the start.");
            }
            stretch(lease, call.terms(), wasRenewing);
            return new AcquireResult.Granted(handle);
        } catch (RuntimeException | Error e) {
            handle.closeAfter(e);
            throw e;
        }
    }

    private static void checkReentry(Lease lease, Terms terms) {
        lease.throwIfLost();
        if (terms.minHoldNanos() > 0) {
            throw new IllegalStateException(
                    "This thread already holds lock '" + lease.key() + "', and a request with minHold is not reentrant."
                            + " Acquire the lock with minHold first, or omit minHold.");
        }
    }

    /** Extends the lease if the reentrant request needs more than is left; never shortens it. */
    private void stretch(Lease lease, Terms terms, boolean wasRenewing) {
        long wanted = terms.lease().leaseNanos();
        if (lease.isLimitReached() || (wasRenewing && wanted <= lease.leaseNanos())) {
            return;
        }
        if (wasRenewing || client.ticker().nanos() + wanted - lease.deadline() > 0) {
            handles.extend(lease, wanted);
        }
        if (wasRenewing || terms.renew()) {
            lease.raiseLease(wanted);
        }
        keeper.reconsider(lease);
    }
}
