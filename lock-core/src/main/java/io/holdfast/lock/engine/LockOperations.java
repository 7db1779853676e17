package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.lease.LeaseKeeper;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.Turn;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a call: reenter, or else line up at the gate, wait at the store, be granted, hold a lease. Everything that
 * acquires comes through here, so that template, {@code Lock} view and annotation share one bookkeeping. The way back is
 * {@link HandleOperations}.
 */
final class LockOperations {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    private final Client client;
    private final EventPublisher events;
    private final LeaseKeeper keeper;
    private final HandleOperations handles;
    private final Grants grants;
    private final ThreadHolds holds = new ThreadHolds();
    private final Waits waits;
    private final Activity activity;
    private final ThreadCheck check;
    private final Lifecycle lifecycle;

    LockOperations(Client client, EventPublisher events) {
        this.client = client;
        this.events = events;
        this.waits = new Waits(events);
        this.activity = new Activity(client, holds, waits);
        var reports = new LeaseReports(events, holds, client);
        this.keeper = new LeaseKeeper(client.store(), reports, client.ticker());
        this.handles = new HandleOperations(client, keeper, holds, events);
        client.onRevoked(this::doubt);
        keeper.onFirstLongHold(() -> client.seats().listen());
        this.lifecycle = new Lifecycle(client, keeper, holds);
        this.check = new ThreadCheck(client, holds, handles);
        this.grants = new Grants(client, holds, keeper, reports, handles, events);
    }

    /** What came of an acquisition. */
    sealed interface Outcome {

        record Acquired(Handle handle) implements Outcome {}

        record Refused(LockKey key, Duration waited, Optional<LockHolder> holder) implements Outcome {}

        /**
         * The thread holds less of the lock than it asked for: shared instead of exclusive, or with a lower weight.
         *
         * @param message says so, and what to do
         */
        record WaitsForItself(String message) implements Outcome {}
    }

    Outcome acquire(Call call) throws InterruptedException {
        Outcome reentered = reenter(call);
        if (reentered != null) {
            return reentered;
        }
        lifecycle.ensureOpen();
        String self = client.id();
        Outcome outcome = events.hasListeners() ? acquireObserved(call) : acquireFirst(call);
        if (lifecycle.isOver(self) && outcome instanceof Outcome.Acquired acquired) {
            try {
                acquired.handle().close();
            } catch (LockLostException e) {
                log.debug("Lock '{}' was acquired while the client was being closed", call.key(), e);
            }
            throw lifecycle.tooLate(call.key());
        }
        return outcome;
    }

    /** One try to get several locks in one call. */
    AllAtOnce allAtOnce(List<Call> calls) {
        return new AllAtOnce(client, holds, lifecycle, grants, events, calls);
    }

    private Outcome acquireObserved(Call call) throws InterruptedException {
        String name = call.terms().name();
        events.begin(call.key(), name);
        try {
            return acquireFirst(call);
        } catch (InterruptedException | RuntimeException | Error e) {
            events.publish(new LockEvent.Failed(call.key(), name, call.budget().spent(), e));
            throw e;
        }
    }

    private Outcome acquireFirst(Call call) throws InterruptedException {
        if (call.budget().isOneTry() && holds.findLive(call.key()) != null) {
            return refused(call, sibling(call.key()));
        }
        Waits.Wait wait = waits.of(call);
        try {
            return call.terms().usesGate() ? throughGate(call, wait) : atStore(call, null, wait);
        } finally {
            wait.end();
        }
    }

    private Outcome throughGate(Call call, Waits.Wait wait) throws InterruptedException {
        Object terms = call.terms().handOff();
        Turn turn = call.budget().isOneTry()
                ? client.gates().tryEnter(call.key(), terms)
                : client.gates().enter(call.key(), terms);
        if (turn != null) {
            if (turn.isWaiting() && isTimedOut(turn, call, wait)) {
                return refused(call, sibling(call.key()).or(turn::blockedBy));
            }
            Handle handedOff = takeOver(call, turn);
            if (handedOff != null) {
                return new Outcome.Acquired(handedOff);
            }
        }
        return atStore(call, turn, wait);
    }

    private boolean isTimedOut(Turn turn, Call call, Waits.Wait wait) throws InterruptedException {
        LockOverloadException tooMany = null;
        Budget budget = call.budget();
        try {
            wait.begin();
        } catch (LockOverloadException e) {
            tooMany = e;
            budget = Budget.of(client.ticker(), 0);
        }
        boolean timedOut = turn.await(budget, client.pause(), call.interruptible()) == Turn.Outcome.TIMED_OUT;
        if (timedOut && tooMany != null) {
            throw tooMany; // nobody has let it through meanwhile
        }
        return timedOut;
    }

    private @Nullable Handle takeOver(Call call, Turn turn) {
        var handOff = turn.takeHandOff();
        if (handOff == null) {
            return null;
        }
        try {
            return grants.open(call, handOff, Client.currentThread(), turn);
        } catch (RuntimeException | Error e) {
            grants.giveBack(call, handOff.cohort().owner(), turn);
            throw e;
        }
    }

    private Outcome atStore(Call call, @Nullable Turn turn, Waits.Wait wait) throws InterruptedException {
        HolderInfo holder = Client.currentThread();
        var acquisition = new Acquisition(client, call, holder, turn, wait);
        Acquisition.Result result = acquisition.run(call.budget());
        if (result instanceof Acquisition.Result.Granted granted) {
            try {
                return new Outcome.Acquired(grants.open(call, granted, holder, turn));
            } catch (RuntimeException | Error e) {
                grants.giveBack(call, granted.owner(), turn);
                throw e;
            } finally {
                acquisition.end();
            }
        }
        return refused(call, ((Acquisition.Result.Refused) result).holder());
    }

    private Outcome refused(Call call, Optional<LockHolder> holder) {
        Duration waited = call.budget().spent();
        if (events.hasListeners()) {
            events.publish(new LockEvent.NotAcquired(call.key(), call.terms().name(), waited, holder));
        }
        return new Outcome.Refused(call.key(), waited, holder);
    }

    private @Nullable Outcome reenter(Call call) {
        Hold hold = holds.find(call.key());
        if (hold == null) {
            return null;
        }
        Lease lease = hold.lease();
        switch (lease.enter(call.terms().isExclusive())) {
            case ENTERED -> {}
            case NOTHING_TO_REENTER -> {
                holds.ofCurrentThread().remove(call.key(), hold);
                return null;
            }
            case NOT_ALONE -> {
                return new Outcome.WaitsForItself("This thread holds lock '" + call.key()
                        + "' shared and asks for it exclusive, so it would wait for itself. Release the shared lock first,"
                        + " or acquire the exclusive one from the beginning.");
            }
        }
        return entered(call, hold);
    }

    private Outcome entered(Call call, Hold hold) {
        Lease lease = hold.lease();
        boolean wasRenewing = lease.isRenewing();
        if (call.terms().renew()) {
            lease.startRenewing();
        }
        Handle handle = new Handle(handles, hold, holds.ofCurrentThread(), call);
        try {
            checkReentry(lease, call.terms());
            if (!lease.isExclusive() && call.terms().weight() > hold.weight()) {
                handle.close();
                return new Outcome.WaitsForItself("This thread holds lock '" + call.key() + "' with a weight of "
                        + hold.weight() + " and asks for one of " + call.terms().weight()
                        + ", so it would wait for itself. Acquire the greatest weight from the beginning.");
            }
            stretch(lease, call.terms(), wasRenewing);
            return new Outcome.Acquired(handle);
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

    Activity activity() {
        return activity;
    }

    @Nullable
    Hold holdOfCurrentThread(LockKey key) {
        return holds.find(key);
    }

    void ensureHeld(Duration atLeast) {
        check.ensureHeld(atLeast);
    }

    void forgetLost() {
        check.forgetLost();
    }

    LockSnapshot inspect(LockKey key) {
        return Shielded.call(() -> client.store().inspect(key));
    }

    /**
     * Holders of this client are told at once. Only those that were granted before the store was asked: a later grant is
     * not affected. A writer that goes on as a reader meanwhile learns it from the store: only it knows what came first.
     */
    List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        List<Lease> own = holds.leasesOf(key).stream()
                .filter(lease -> modes.contains(mode(lease)))
                .toList();
        List<LockHolder> former = Shielded.call(() -> client.store().forceRelease(key, modes));
        own.stream()
                .filter(lease -> lease.isOpen() && modes.contains(mode(lease)))
                .forEach(lease -> lease.lose(LossCause.REVOKED));
        for (LockHolder holder : former) {
            log.warn("Lock '{}' was released by force; it was held by {}", key, holder.describe());
            events.publish(new LockEvent.ForceReleased(key, holder));
        }
        return former;
    }

    /** One hold, or none: it has ended meanwhile, or a message says what no store has said. */
    private void doubt(long sequence) {
        holds.all().stream()
                .map(Hold::lease)
                .filter(lease -> lease.owner().sequence() == sequence)
                .forEach(keeper::doubt);
    }

    private static LockMode mode(Lease lease) {
        return lease.isExclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED;
    }

    /** The thread of this client that has the lock alone, if one has. */
    private Optional<LockHolder> sibling(LockKey key) {
        return Optional.ofNullable(holds.findLive(key)).map(this::describe);
    }

    private LockHolder describe(Hold hold) {
        Lease lease = hold.lease();
        HolderInfo at = hold.holder();
        Instant since = Instant.now().minus(lease.held());
        return new LockHolder(
                client.id(),
                at.host(),
                at.pid(),
                at.thread(),
                since,
                lease.remaining(),
                lease.token(),
                LockMode.EXCLUSIVE);
    }

    Lifecycle lifecycle() {
        return lifecycle;
    }
}
