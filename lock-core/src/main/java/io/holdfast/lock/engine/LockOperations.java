package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.lease.LeaseKeeper;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.PollingWaiter;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a call: reenter, or else wait, be granted, hold a lease. Everything that acquires comes through here, so
 * that template, {@code Lock} view and annotation share one bookkeeping. The way back is {@link HandleOperations}.
 */
final class LockOperations {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    private final Client client;
    private final PollingWaiter waiter;
    private final EventPublisher events;
    private final LeaseReports reports;
    private final LeaseKeeper keeper;
    private final HandleOperations handles;
    private final ThreadHolds holds = new ThreadHolds();
    private volatile boolean closed;

    LockOperations(Client client, PollingWaiter waiter, EventPublisher events) {
        this.client = client;
        this.waiter = waiter;
        this.events = events;
        this.reports = new LeaseReports(events, client.cleanup(), holds::remove);
        this.keeper = new LeaseKeeper(client.store(), reports, client.ticker());
        this.handles = new HandleOperations(client, keeper, holds, events);
    }

    /** What came of an acquisition. */
    sealed interface Outcome {

        record Acquired(Handle handle) implements Outcome {}

        record Refused(Duration waited, @Nullable LockHolder holder) implements Outcome {}
    }

    /**
     * @param bound whether the hold ends when this thread dies
     * @param interruptible whether an interrupt ends the wait; never true for one try
     */
    Outcome acquire(LockKey key, Terms terms, Budget budget, boolean bound, boolean interruptible)
            throws InterruptedException {
        ensureOpen();
        Handle reentered = reenter(key, terms, bound);
        if (reentered != null) {
            return new Outcome.Acquired(reentered);
        }
        Hold sibling = budget.isOneTry() ? holds.findLive(key) : null;
        if (sibling != null) {
            return refused(key, budget, describe(sibling));
        }
        HolderInfo holder = Client.currentThread();
        var acquisition = new Acquisition(client, waiter, key, terms.lease().leaseNanos(), holder);
        Acquisition.Result result = acquisition.run(budget, interruptible);
        if (result instanceof Acquisition.Result.Granted granted) {
            return new Outcome.Acquired(hold(key, terms, granted, holder, bound, budget));
        }
        return refused(key, budget, ((Acquisition.Result.Refused) result).holder());
    }

    private Handle hold(
            LockKey key,
            Terms terms,
            Acquisition.Result.Granted granted,
            HolderInfo holder,
            boolean bound,
            Budget budget) {
        Lease lease = new Lease(
                key,
                granted.owner(),
                granted.token(),
                terms.lease(),
                Thread.currentThread(),
                granted.sentAt(),
                client.ticker(),
                reports);
        if (terms.renew()) {
            lease.startRenewing();
        }
        Hold hold = new Hold(lease, holder, terms.minHoldNanos(), granted.resent());
        Handle handle = new Handle(handles, hold, holds.ofCurrentThread(), terms.renew(), bound);
        holds.add(hold);
        keeper.watch(lease);
        if (closed) {
            handle.close();
            ensureOpen();
        }
        if (events.hasListeners()) {
            events.publish(new LockEvent.Acquired(key, lease.token(), budget.spent()));
        }
        return handle;
    }

    private Outcome refused(LockKey key, Budget budget, @Nullable LockHolder holder) {
        Duration waited = budget.spent();
        if (events.hasListeners()) {
            events.publish(new LockEvent.NotAcquired(key, waited, Optional.ofNullable(holder)));
        }
        return new Outcome.Refused(waited, holder);
    }

    private @Nullable Handle reenter(LockKey key, Terms terms, boolean bound) {
        Hold hold = holds.find(key);
        if (hold == null) {
            return null;
        }
        Lease lease = hold.lease();
        if (!lease.enter()) {
            holds.ofCurrentThread().remove(key, hold);
            return null;
        }
        boolean wasRenewing = lease.isRenewing();
        if (terms.renew()) {
            lease.startRenewing();
        }
        Handle handle = new Handle(handles, hold, holds.ofCurrentThread(), terms.renew(), bound);
        try {
            checkReentry(lease, terms);
            stretch(lease, terms, wasRenewing);
            return handle;
        } catch (RuntimeException | Error e) {
            handle.closeAfter(e);
            throw e;
        }
    }

    private static void checkReentry(Lease lease, Terms terms) {
        LockEvent.Lost loss = lease.loss();
        if (loss != null) {
            throw new LockLostException(loss);
        }
        if (terms.minHoldNanos() > 0) {
            throw new IllegalStateException("This thread holds lock '" + lease.key()
                    + "' already, and a request with a minHold does not reenter. Take it before, or without minHold.");
        }
    }

    /** A reentrant request that needs more than the running lease gives gets it; nothing is ever shortened. */
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

    /** How many locks this client holds, by its own books. */
    int held() {
        return holds.size();
    }

    @Nullable
    Hold holdOfCurrentThread(LockKey key) {
        return holds.find(key);
    }

    Optional<LockHolder> forceRelease(LockKey key) {
        Optional<LockHolder> former = Shielded.call(() -> client.store().forceRelease(key));
        former.ifPresent(holder -> {
            log.warn("Lock '{}' was released by force; it was held by {}", key, holder.describe());
            events.publish(new LockEvent.ForceReleased(key, holder));
        });
        return former;
    }

    private LockHolder describe(Hold hold) {
        Lease lease = hold.lease();
        HolderInfo at = hold.holder();
        Instant since = Instant.now().minus(lease.held());
        return new LockHolder(client.id(), at.host(), at.pid(), at.thread(), since, lease.remaining(), lease.token());
    }

    private void ensureOpen() {
        if (closed) {
            throw new IllegalStateException("The lock client is closed; no lock can be acquired any more");
        }
    }

    /** Refuses new locks; what is still held is declared lost, and then released. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        keeper.close();
        for (Hold hold : holds.all()) {
            Lease lease = hold.lease();
            Duration keep = hold.keep();
            lease.lose(LossCause.CLOSED);
            if (lease.abandon()) {
                holds.remove(lease);
                client.cleanup().release(lease.key(), lease.owner(), keep, lease.leaseNanos());
            }
        }
    }
}
