package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.lease.LeaseKeeper;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
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

    /** Takes a lock that the current thread has lost out of all books. Its handles still tell the loss, should they be closed. */
    void forget(Hold hold) {
        Lease lease = hold.lease();
        holds.ofCurrentThread().remove(lease.key(), hold);
        keeper.forget(lease);
        if (lease.abandon()) {
            leaveGate(hold);
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

    /** A handle was closed. Returns the loss, if the lock was lost before. */
    LockEvent.@Nullable Lost close(
            Hold hold, Map<LockKey, Hold> thread, boolean attached, boolean exclusive, boolean renewing) {
        Lease lease = hold.lease();
        LockEvent.Lost loss = lease.loss();
        if (renewing) {
            lease.stopRenewing();
        }
        Lease.Exit exit = lease.exit(attached, exclusive);
        leftThread(hold, thread);
        return switch (exit) {
            case STAYS -> loss;
            case DOWNGRADES -> loss == null ? downgrade(hold) : loss;
            case ENDS -> end(hold, loss, exclusive);
        };
    }

    /**
     * Only who needed the lock alone to the end passes it on: else it is shared at the store, or about to be. It stays in
     * the books until the store has it back, so that {@link ThreadHolds#awaitNone} waits for that too.
     */
    private LockEvent.@Nullable Lost end(Hold hold, LockEvent.@Nullable Lost loss, boolean alone) {
        Lease lease = hold.lease();
        keeper.forget(lease);
        try {
            return giveBack(hold, loss, alone);
        } finally {
            holds.remove(lease);
        }
    }

    private LockEvent.@Nullable Lost giveBack(Hold hold, LockEvent.@Nullable Lost loss, boolean alone) {
        Lease lease = hold.lease();
        if (loss != null) {
            leaveGate(hold);
            client.cleanup().undoHold(lease.key(), lease.owner(), lease.leaseNanos());
            return loss;
        }
        if (alone && lease.loss() == null && hold.handOff(client.ticker().nanos())) {
            publishReleased(lease);
            return null;
        }
        try {
            return release(hold);
        } finally {
            leaveGate(hold);
        }
    }

    private void leaveGate(Hold hold) {
        hold.leaveGate(client.gates());
    }

    private LockEvent.@Nullable Lost release(Hold hold) {
        Lease lease = hold.lease();
        Duration keep = hold.keep();
        long longest =
                Math.max(lease.leaseNanos(), lease.deadline() - client.ticker().nanos());
        var request = new ReleaseRequest(
                lease.key(), lease.owner(), keep, hold.lastToken(), TimeUnit.NANOSECONDS.toMillis(longest));
        try {
            if (isSurelyGone(lease, () -> client.store().release(request))) {
                return lease.lose(LossCause.REVOKED);
            }
        } catch (LockStoreException e) {
            log.warn(
                    "Release of lock '{}', held for {} ms, failed; it is repeated in the background until the lease"
                            + " ends: {}",
                    lease.key(),
                    lease.held().toMillis(),
                    e.getMessage());
            client.cleanup().release(hold);
        }
        if (hold.isResent()) {
            client.cleanup().bury(lease.key(), lease.owner(), lease.leaseNanos(), keep);
        }
        publishReleased(lease);
        return null;
    }

    /** The last handle that needed the lock alone was closed, others are open. Should Redis fail, it is merely late. */
    private LockEvent.@Nullable Lost downgrade(Hold hold) {
        Lease lease = hold.lease();
        long lastToken = hold.lastToken();
        try {
            if (isSurelyGone(lease, () -> client.store().downgrade(lease.key(), lease.owner(), lastToken))) {
                return lease.isOpen() ? lease.lose(LossCause.REVOKED) : null;
            }
        } catch (LockStoreException e) {
            log.warn(
                    "Downgrade of lock '{}' to shared failed; it is repeated in the background: {}",
                    lease.key(),
                    e.getMessage());
            client.cleanup().downgrade(hold);
        } finally {
            leaveGate(hold);
        }
        return null;
    }

    /** Whether the store knows nothing of a lease that it should still know, and was asked only once. */
    private boolean isSurelyGone(Lease lease, Supplier<ReleaseReply> call) {
        AtomicInteger sends = new AtomicInteger();
        ReleaseReply reply = Shielded.call(() -> {
            sends.incrementAndGet();
            return call.get();
        });
        return reply == ReleaseReply.NOT_HOLDER
                && sends.get() == 1
                && client.ticker().nanos() - lease.deadline() < 0;
    }

    private void publishReleased(Lease lease) {
        if (events.hasListeners()) {
            events.publish(new LockEvent.Released(lease.key(), lease.name(), lease.token(), lease.held()));
        }
    }
}
