package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.lease.LeaseKeeper;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What handles do with their lock: extend it, detach it from the thread, and give it back, see {@link Releases}. */
public final class HandleOperations {

    private final ClientContext client;
    private final LeaseKeeper keeper;
    private final ThreadHolds holds;
    private final Releases releases;

    public HandleOperations(ClientContext client, LeaseKeeper keeper, ThreadHolds holds, EventPublisher events) {
        this.client = client;
        this.keeper = keeper;
        this.holds = holds;
        this.releases = new Releases(client, holds, events);
    }

    Releases releases() {
        return releases;
    }

    public void extend(Lease lease, long nanos) {
        long millis = Math.max(TimeUnit.NANOSECONDS.toMillis(nanos), lease.leastMillis());
        var request = new RenewRequest(lease.key(), lease.owner(), millis);
        long sentAt = client.ticker().nanos();
        RenewReply reply = ClientContext.uninterruptibly(() -> client.store().extend(request));
        if (reply instanceof RenewReply.Failed failure) {
            throw new LockStoreException(
                    "Lock '" + lease.key() + "' could not be extended: " + failure.reason(), null, true);
        }
        if (reply instanceof RenewReply.Renewed) {
            lease.extendTo(sentAt + TimeUnit.MILLISECONDS.toNanos(millis));
            keeper.reconsider(lease);
        } else if (lease.isOpen()) {
            lease.lose(LossCause.REVOKED);
        } else {
            throw new IllegalStateException("Lock '" + lease.key() + "' was released while it was being extended");
        }
        lease.throwIfLost();
    }

    /**
     * Removes a lock that the current thread has lost from all records. Its handles still report the loss when they are closed.
     */
    void forget(Hold hold) {
        Lease lease = hold.lease();
        holds.ofCurrentThread().remove(lease.key(), hold);
        keeper.forget(lease);
        if (lease.abandon()) {
            hold.leaveLine();
            client.cleanup().undoHold(lease.key(), lease.owner(), lease.leaseNanos());
            holds.remove(lease);
        }
    }

    /** A handle was detached from its thread. */
    void leftThread(Hold hold, Map<LockKey, Hold> thread) {
        if (hold.lease().holdCount() == 0) {
            thread.remove(hold.lease().key(), hold);
        }
    }

    /** A handle was closed. If it was the last one, {@link Releases#end} has to give the lock back. */
    Releases.Closed close(Hold hold, Map<LockKey, Hold> thread, boolean attached, boolean exclusive, boolean renewing) {
        Lease lease = hold.lease();
        LockEvent.Lost loss = lease.loss();
        if (renewing) {
            lease.stopRenewing();
        }
        Lease.Exit exit = lease.exit(attached, exclusive);
        leftThread(hold, thread);
        return switch (exit) {
            case STAYS -> new Releases.Closed(hold, loss, false, exclusive);
            case DOWNGRADES ->
                new Releases.Closed(hold, loss == null ? releases.downgrade(hold) : loss, false, exclusive);
            case ENDS -> {
                keeper.forget(lease);
                yield new Releases.Closed(hold, loss, true, exclusive);
            }
        };
    }
}
