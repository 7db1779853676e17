package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.lease.Lease;
import java.time.Duration;

/** Whether all locks of a thread last for as long as its next step needs. */
final class ThreadCheck {

    private final Client client;
    private final ThreadHolds holds;
    private final HandleOperations handles;

    ThreadCheck(Client client, ThreadHolds holds, HandleOperations handles) {
        this.client = client;
        this.holds = holds;
        this.handles = handles;
    }

    void ensureHeld(Duration atLeast) {
        if (atLeast.isNegative() || atLeast.compareTo(LockRequest.MAX_TIME) > 0) {
            throw new IllegalArgumentException("the time to be held is " + atLeast + "; allowed is 0 ms to "
                    + LockRequest.MAX_TIME.toDays() + " days");
        }
        for (Hold hold : holds.ofCurrentThread().values()) {
            ensureHeld(hold.lease(), atLeast.toNanos());
        }
    }

    /** What the current thread has lost does not count any more, as if it had been given back. */
    void forgetLost() {
        for (Hold hold : holds.ofCurrentThread().values()) {
            if (hold.lease().loss() != null) {
                handles.forget(hold);
            }
        }
    }

    /** A client that was closed has given the lock back, but this thread's handle is open, and the loss is not told. */
    private void ensureHeld(Lease lease, long nanos) {
        throwIfLost(lease);
        if (lease.holdCount() > 0 && lease.deadline() - client.ticker().nanos() < nanos) {
            extend(lease, nanos);
        }
    }

    /**
     * By twice the time. An answer after the former deadline is a loss; so one that counts took less than the time, and
     * leaves more than the time.
     */
    private void extend(Lease lease, long nanos) {
        try {
            handles.extend(lease, Math.max(2 * nanos, LockRequest.MIN_LEASE.toNanos()));
        } catch (IllegalStateException e) {
            if (lease.isOpen()) {
                throw e;
            }
            throwIfLost(lease); // else another thread has given the lock back meanwhile
        }
    }

    private static void throwIfLost(Lease lease) {
        LockEvent.Lost loss = lease.loss();
        if (loss != null) {
            throw new LockLostException(loss);
        }
    }
}
