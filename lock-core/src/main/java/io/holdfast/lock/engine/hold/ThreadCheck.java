package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.lease.Lease;
import java.time.Duration;

/** Checks that all locks of a thread last for as long as its next step needs. */
public final class ThreadCheck {

    private static final int MOST_CALLS = 3;

    private final ClientContext client;
    private final ThreadHolds holds;
    private final HandleOperations handles;

    public ThreadCheck(ClientContext client, ThreadHolds holds, HandleOperations handles) {
        this.client = client;
        this.holds = holds;
        this.handles = handles;
    }

    public void ensureHeld(Duration atLeast) {
        if (atLeast.isNegative() || atLeast.compareTo(LockRequest.MAX_TIME) > 0) {
            throw new IllegalArgumentException("The requested hold time is " + atLeast
                    + "; it must be between 0 ms and " + LockRequest.MAX_TIME.toDays() + " days");
        }
        for (Hold hold : holds.ofCurrentThread().values()) {
            ensureHeld(hold.lease(), atLeast.toNanos());
        }
    }

    /** Locks that the current thread has lost no longer count, as if they had been released. */
    public void forgetLost() {
        for (Hold hold : holds.ofCurrentThread().values()) {
            if (hold.lease().loss() != null) {
                handles.forget(hold);
            }
        }
    }

    /**
     * A client that was closed has released the lock, but this thread's handle is still open, and the loss has not been
     * reported.
     */
    private void ensureHeld(Lease lease, long nanos) {
        lease.throwIfLost();
        if (lease.holdCount() > 0 && lacks(lease, nanos)) {
            extend(lease, nanos);
        }
    }

    /**
     * Extends by twice the time, if the store allows so long a lease. A reply after the former deadline is a loss, so a reply
     * that counts took less than the time, and leaves more than the time. A shorter lease may leave less after a slow reply: then
     * the lock is extended once more.
     */
    private void extend(Lease lease, long nanos) {
        long longest = client.store().longestLease().toNanos();
        if (nanos > longest) {
            throw new IllegalArgumentException("The requested hold time is " + DurationText.of(Duration.ofNanos(nanos))
                    + ", but the longest lease in this store is " + DurationText.of(Duration.ofNanos(longest))
                    + " (in a quorum, the rejoin-delay)");
        }
        long wanted = Math.min(Math.max(2 * nanos, LockRequest.MIN_LEASE.toNanos()), longest);
        try {
            for (int call = 1; lacks(lease, nanos); call++) {
                if (call > MOST_CALLS) {
                    throw new LockStoreException(
                            "Lock '" + lease.key()
                                    + "' could not be extended to cover the requested time, because the store"
                                    + " responds too slowly",
                            null,
                            false);
                }
                handles.extend(lease, wanted);
            }
        } catch (IllegalStateException e) {
            if (lease.isOpen()) {
                throw e;
            }
            lease.throwIfLost(); // else another thread has given the lock back meanwhile
        }
    }

    private boolean lacks(Lease lease, long nanos) {
        return lease.deadline() - client.ticker().nanos() < nanos;
    }
}
