package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.lease.LeaseKeeper;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What handles do with the lock that they hold: extend it, leave its thread, and give it back. */
final class HandleOperations {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    private final Client client;
    private final LeaseKeeper keeper;
    private final ThreadHolds holds;
    private final EventPublisher events;

    HandleOperations(Client client, LeaseKeeper keeper, ThreadHolds holds, EventPublisher events) {
        this.client = client;
        this.keeper = keeper;
        this.holds = holds;
        this.events = events;
    }

    void extend(Lease lease, long nanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
        var request = new RenewRequest(lease.key(), lease.owner(), millis);
        long sentAt = client.ticker().nanos();
        RenewReply reply = Shielded.call(() -> client.store().extend(request));
        if (reply instanceof RenewReply.Failed failure) {
            throw new LockStoreException(
                    "Lock '" + lease.key() + "' could not be extended: " + failure.reason(), null, false);
        }
        LockEvent.Lost loss;
        if (reply instanceof RenewReply.Renewed) {
            lease.extendTo(sentAt + TimeUnit.MILLISECONDS.toNanos(millis));
            keeper.reconsider(lease);
            loss = lease.loss();
        } else if (lease.isOpen()) {
            loss = lease.lose(LossCause.REVOKED);
        } else {
            throw new IllegalStateException("Lock '" + lease.key() + "' was released while it was to be extended");
        }
        if (loss != null) {
            throw new LockLostException(loss);
        }
    }

    /** A handle was detached from its thread. */
    void leftThread(Hold hold, Map<LockKey, Hold> thread) {
        if (hold.lease().holdCount() == 0) {
            thread.remove(hold.lease().key(), hold);
        }
    }

    /** A handle was closed. Returns the loss, if the lock was lost before. */
    LockEvent.@Nullable Lost close(Hold hold, Map<LockKey, Hold> thread, boolean attached, boolean renewing) {
        Lease lease = hold.lease();
        LockEvent.Lost loss = lease.loss();
        if (renewing) {
            lease.stopRenewing();
        }
        boolean last = lease.exit(attached);
        leftThread(hold, thread);
        if (!last) {
            return loss;
        }
        keeper.forget(lease);
        holds.remove(lease);
        if (loss != null) {
            client.cleanup().undo(lease.key(), lease.owner(), lease.leaseNanos());
            return loss;
        }
        return release(hold);
    }

    private LockEvent.@Nullable Lost release(Hold hold) {
        Lease lease = hold.lease();
        Duration keep = hold.keep();
        AtomicInteger sends = new AtomicInteger();
        try {
            ReleaseReply reply = Shielded.call(() -> {
                sends.incrementAndGet();
                return client.store().release(lease.key(), lease.owner(), keep);
            });
            boolean surelyGone = reply == ReleaseReply.NOT_HOLDER && sends.get() == 1;
            if (surelyGone && client.ticker().nanos() - lease.deadline() < 0) {
                return lease.lose(LossCause.REVOKED);
            }
        } catch (LockStoreException e) {
            log.warn(
                    "Release of lock '{}', held for {} ms, failed; it is repeated in the background until the lease"
                            + " ends: {}",
                    lease.key(),
                    lease.held().toMillis(),
                    e.getMessage());
            client.cleanup().release(lease.key(), lease.owner(), keep, lease.leaseNanos());
        }
        if (hold.isResent()) {
            client.cleanup().bury(lease.key(), lease.owner(), lease.leaseNanos(), keep);
        }
        if (events.hasListeners()) {
            events.publish(new LockEvent.Released(lease.key(), lease.token(), lease.held()));
        }
        return null;
    }
}
