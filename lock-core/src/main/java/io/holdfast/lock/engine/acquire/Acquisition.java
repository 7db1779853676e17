package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.Cohort;
import io.holdfast.lock.waiting.Failing;
import io.holdfast.lock.waiting.LocalQueue;
import io.holdfast.lock.waiting.Outages;
import io.holdfast.lock.waiting.QueueEntry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One caller's acquisition of one lock: it reenters the lock; or it lines up behind other callers of this client, calls the store,
 * waits there, and opens a hold for the grant that it receives.
 *
 * <p>All tries share one owner id. An acquisition that ends without a grant leaves nothing behind: a caller in line leaves the
 * line, and the front lets the next one in. If every try was answered, the entry in the queue is passed to the next caller in line,
 * or given up, and an interrupt or a timeout is reported to the caller only once the store knows of it; if the outcome of a try is
 * unknown, the acquisition is undone and cancelled, and its owner id is never sent again.
 *
 * <p>There is a single budget: when it ends between two attempts, the lock is requested one last time without waiting, so that the
 * store removes the entry in the same step, unless a caller behind this one continues to wait with that entry. When the budget ends
 * during a try, that try is the last one. A try that could not be sent, because this client had no connection for it, does not
 * count: it is repeated within the budget. If the budget is spent before it can be sent, only this caller fails: the store has not
 * replied, so the callers behind it in line continue with its entry.
 *
 * <p>A grant whose reply arrives after its own deadline does not count: it is undone, and the acquisition starts over, with another
 * owner id, within the same budget. If the budget is spent, the acquisition fails as if the store had not replied. The deadline is
 * counted from before that try was sent.
 *
 * <p>If the store fails after it has replied once, the acquisition continues to wait, together with others that wait for the store
 * to recover. A call that the store rejects changes nothing there: if the first try is rejected, there is no entry to give up.
 */
@SuppressWarnings("NullAway.Init") // fields that are set only from a certain state on
public final class Acquisition implements Steps {

    /** The pause between two tries to get a connection. The store itself has already waited for one, if it can. */
    private static final long BUSY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * In line: behind other callers of this client, or at the front. Ask: the next step calls the store. Queued: has an entry
     * in the queue at the store. No connection: all were in use, so nothing was sent. Outage: waits for a failing store to
     * recover. Ended: over at the store, but listeners have not been notified yet.
     */
    private enum State {
        START,
        IN_LINE,
        ASK,
        QUEUED,
        NO_CONNECTION,
        OUTAGE,
        ENDED,
        OVER
    }

    /** What all acquisitions of a client share. */
    public record Shared(
            ClientContext client,
            HeldLocks locks,
            Waits waits,
            EventPublisher events,
            Supplier<@Nullable String> traceparent) {}

    private final Shared shared;
    private final ClientContext client;
    final LockKey key;
    final Terms terms;
    private final Budget budget;
    private final Caller caller;
    /** The span of the caller, on whose thread the acquisition is created; null if there is none. */
    private final @Nullable String traceparent;

    private State state = State.START;
    private LockListener.@Nullable AcquisitionObserver observed;
    private Waits.@Nullable CallerWait wait;
    private @Nullable AcquireResult result;
    /**
     * The local queue in which it waits. If the process has been copied in the meantime, the client has a new one, and
     * this one is closed.
     */
    private LocalQueue queue;
    /** Its place there, as soon as it has one. */
    LocalQueue.Place place;
    /** The queue entry for its calls, as soon as it is the front; none if the lock was handed off to it. */
    private QueueEntry entry;

    private Outages.@Nullable Turn turn;
    /** The holder named in its calls, as soon as there are any. */
    private HolderInfo holder;
    /** When the store was last called, on the ticker, before the send. */
    private long sentAt;
    /** Whether a send under the current owner id got no reply, and may still arrive. */
    boolean resent;
    /** When it tries again to get a connection, on the ticker. */
    private long connectionAt;

    /** The holder for which it had to wait, if it had to. */
    private Supplier<Optional<LockHolder>> blocker = Optional::empty;

    /** @param budget how long to wait; the terms specify how much of it may be spent on an outage of the store */
    public Acquisition(Shared shared, Terms terms, Budget budget, Caller caller) {
        this(shared, terms, budget, caller, shared.traceparent.get());
    }

    private Acquisition(Shared shared, Terms terms, Budget budget, Caller caller, @Nullable String traceparent) {
        this.shared = shared;
        this.client = shared.client;
        this.key = terms.key();
        this.terms = terms;
        this.budget = budget.tolerating(terms.outageNanos());
        this.caller = caller;
        this.traceparent = traceparent;
    }

    /** The same acquisition, from the beginning; maybe on another thread. */
    Acquisition again() {
        return new Acquisition(shared, terms, budget, caller, traceparent);
    }

    @Override
    public AcquireResult result() {
        return Objects.requireNonNull(result, "The acquisition is still in progress");
    }

    @Override
    public void lineUp() {
        if (state != State.START) {
            return;
        }
        result = shared.locks.reenter(terms, caller);
        if (result != null) {
            state = State.OVER;
        } else {
            shared.locks.ensureOpen();
            observe();
            try {
                start();
            } catch (RuntimeException | Error e) {
                fail(e, false);
                throw e;
            }
        }
    }

    @Override
    public long proceed() throws InterruptedException {
        lineUp();
        if (state == State.OVER) {
            return 0;
        }
        long left = 0;
        try (LockListener.Scope scope = observed == null ? LockListener.Scope.NOTHING : observed.onThread()) {
            while (left == 0 && state != State.ENDED) {
                left = switch (state) {
                    case IN_LINE -> inLine();
                    case ASK -> ask();
                    case QUEUED, NO_CONNECTION -> waiting();
                    case OUTAGE -> duringOutage();
                    case START, ENDED, OVER -> throw new IllegalStateException("No step in state " + state);
                };
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            fail(e, false);
            throw e;
        }
        if (left == 0) {
            end();
        }
        return left;
    }

    /** A caller that has become the front first takes one more step, to pass on what the former front left behind. */
    @Override
    public void interrupt(InterruptedException e) throws InterruptedException {
        if (state != State.IN_LINE || place.cancel()) {
            fail(e, false);
            throw e;
        }
    }

    @Override
    public void abandon(Throwable why) {
        fail(why, true);
    }

    private void start() {
        boolean oneTry = budget.isOneTry();
        if (oneTry && shared.locks.findLive(key) != null) {
            refused(sibling());
            return;
        }
        // A single try that finds other callers of this client in line calls the store independently of them.
        if (!oneTry || !enterIfEmpty()) {
            queue = client.queue();
            place = queue.enter(key, oneTry ? null : terms.handoffTerms(), caller.waiter());
        }
        state = State.IN_LINE;
        if (place.isInLine()) {
            try {
                beginWait();
            } catch (LockOverloadException e) {
                if (place.cancel()) {
                    throw e;
                }
            }
        }
    }

    private long inLine() {
        long left = place.look(budget);
        if (left > 0) {
            return left;
        }
        if (place.isOver()) {
            refused(sibling().or(place.holder()));
            return 0;
        }
        holder = ClientContext.currentThread().in(traceparent);
        QueueEntry.Grant handoff = place.takeHandoff();
        if (handoff != null && handoff.deadline() - handoff.at() > 0) {
            state = State.ENDED;
            open(handoff);
            return 0;
        }
        if (handoff != null) {
            place.notHeld();
            client.cleanup.undoHold(key, handoff.owner(), terms.leaseNanos());
        }
        entry = place.entry();
        state = State.ASK;
        if (isLate()) {
            throw new LockOverloadException("Lock '" + key
                    + "' was not requested within its waitFor: the threads that acquire locks for asynchronous calls"
                    + " (executeAsync, reactive methods, event loops) were busy for " + DurationText.of(budget.spent())
                    + " with calls to which Redis responded slowly or not at all. Check Redis and the network, or"
                    + " reduce the number of waiting calls.");
        }
        return 0;
    }

    // At the store.

    /** Calls the store, unless it is known to be failing. */
    private long ask() throws InterruptedException {
        caller.throwIfInterrupted(null);
        if (turn == null && entry.hasMetFailure()) {
            joinOutage();
            return 0;
        }
        boolean last = budget.remainingNanos() == 0;
        AcquireReply reply;
        try {
            reply = send(!last || place.hasFollowers());
        } catch (LockStoreException e) {
            askAgain(e, last);
            return 0;
        }
        if (turn != null) {
            turn.called(false);
            stopWaiting();
        }
        handleReply(reply, last);
        return 0;
    }

    /**
     * Waits for a connection, or for the store to recover, if that is permitted. Continues with another owner id if the store
     * may have carried out the call, as a quorum may have if there was a free connection to one of its servers.
     */
    private void askAgain(LockStoreException e, boolean last) throws InterruptedException {
        boolean shortage = isShortage(e);
        boolean again =
                turn != null ? !last : shortage ? mayRepeat(e) : place.isLineAnswered() && budget.toleratesOutages();
        if (turn != null) {
            turn.called(true);
        }
        caller.throwIfInterrupted(e);
        if (!again) {
            throw e;
        }
        if (e.outcomeUnknown()) {
            undo();
            renewEntry();
        }
        if (!shortage) {
            entry.failing(new Failing(sentAt, e));
        }
        if (turn == null && shortage) {
            beginWait();
            connectionAt = client.ticker.nanos() + BUSY_PAUSE_NANOS;
            entry.wakes(caller.waiter());
            state = State.NO_CONNECTION;
        } else if (turn == null) {
            joinOutage();
        }
    }

    /** @param waiting whether to create, or keep, an entry in the queue if the lock is not free */
    private AcquireReply send(boolean waiting) {
        AcquireRequest request = request(waiting, place.hasFollowers() ? Cohort.tokens(terms.leaseMillis()) : 1);
        AcquireReply reply;
        try {
            reply = caller.interruptible()
                    ? client.store.acquire(request)
                    : ClientContext.uninterruptibly(() -> client.store.acquire(request), () -> resent = true);
        } catch (LockStoreException e) {
            resent |= e.outcomeUnknown();
            throw e;
        }
        resent |= reply.resent();
        entry.answered(waiting);
        place.answered();
        return reply;
    }

    /** The request is about to be sent: only messages that arrive from now on count. */
    private AcquireRequest request(boolean waiting, long tokens) {
        entry.rearm();
        sentAt = client.ticker.nanos();
        HolderInfo recorded = tokens == 1 ? holder : holder.in(null); // the store learns of no handoff
        return terms.request(entry.owner, recorded, waiting, tokens);
    }

    /** Whether the store was not called, because this client had no free connection. */
    static boolean isShortage(LockStoreException e) {
        return e.getCause() instanceof ConnectionsInUseException;
    }

    /** A single try waits only for the very first connection, and for as long as the store allows. */
    private boolean mayRepeat(LockStoreException e) {
        return budget.remainingNanos() > 0
                || (budget.isOneTry()
                        && e.getCause() instanceof ConnectionsInUseException busy
                        && busy.isFirstConnection());
    }

    /** @param last whether this was the last call to the store */
    private void handleReply(AcquireReply reply, boolean last) {
        if (reply instanceof AcquireReply.Held refusal) {
            held(refusal, last || budget.remainingNanos() == 0);
        } else if (reply instanceof AcquireReply.Granted grant && isInTime()) {
            hold(entry.granted(grant, sentAt, terms.leaseNanos(), resent));
        } else {
            startAfresh(reply);
        }
    }

    private void held(AcquireReply.Held reply, boolean last) {
        place.refused(reply);
        if (last) {
            giveUp();
            refused(reply.holder());
            return;
        }
        beginWait();
        queue.entries.taken(entry, sentAt, reply);
        entry.wakes(caller.waiter());
        state = State.QUEUED;
    }

    /** No holder is known, so this is not contention. */
    private void startAfresh(AcquireReply reply) {
        String why = reply instanceof AcquireReply.Granted
                ? "was granted by Redis, but its lease of "
                        + DurationText.of(Duration.ofMillis(terms.leaseMillis()))
                        + " had already expired when the reply arrived, after "
                        + DurationText.of(Duration.ofNanos(client.ticker.nanos() - sentAt))
                        + ". The grant is being undone. Check why Redis, the network or this process is slow, or"
                        + " use a longer lease."
                : "was not granted by Redis, because this acquisition had already been cancelled. The current holder"
                        + " is unknown.";
        undo();
        if (budget.remainingNanos() == 0) {
            place.leave();
            state = State.ENDED;
            throw new LockStoreException("Lock '" + key + "' " + why, null, false);
        }
        renewEntry();
        state = State.ASK;
    }

    /**
     * However the wait ends, the store is asked again, unless a message has brought a grant: that is used without a call to the store, which
     * saves a round trip; the watchdog confirms it if the lock is held for long enough.
     */
    private long waiting() {
        long left = entry.look(budget);
        if (state == State.NO_CONNECTION) {
            left = Math.min(left, connectionAt - client.ticker.nanos());
        }
        if (left > 0) {
            return left;
        }
        stopWaiting();
        state = State.ASK;
        QueueEntry.Grant grant = entry.claim(client.ticker.nanos(), terms.leaseNanos(), resent);
        if (grant != null && terms.isWorthUnconfirmed(grant.deadline() - grant.at())) {
            entry.answered(true);
            place.answered();
            hold(grant);
        }
        return 0;
    }

    /** Once the hold is recorded, messages about the lock reach it directly. */
    private void hold(QueueEntry.Grant grant) {
        place.granted(grant);
        state = State.ENDED;
        try {
            open(grant);
        } finally {
            queue.entries.giveUp(entry);
        }
    }

    private void open(QueueEntry.Grant grant) {
        blocker = place.holder(); // before it becomes the holder; a new line knows none
        result = shared.locks.open(terms, grant, holder, place, caller);
    }

    // The store fails.

    /** Queues behind the callers of this client that wait for the same server to recover. */
    private void joinOutage() {
        beginWait();
        turn = queue.outages.join(client.store.serverOf(key), entry.failing() != null, caller.waiter());
        state = State.OUTAGE;
    }

    /**
     * A caller that had queued before the store failed waits for it to recover for as long as the budget allows. Only one caller
     * of this client calls the store at a time, even after the store has recovered, since the queue may have to be rebuilt.
     */
    private long duringOutage() throws InterruptedException {
        entry.wakes(caller.waiter()); // first, so that no wakeup is lost; each call may have replaced the entry
        entry.ensureOpen();
        Failing failing = entry.failing();
        long left = Objects.requireNonNull(turn).look(budget, failing);
        if (left > 0) {
            return left;
        }
        if (failing != null && budget.remainingNanos(failing) == 0) {
            throw failing.over(key);
        }
        return ask();
    }

    /** Continues as a new acquisition, which knows of the same failure, because the former one is never sent again. */
    private void renewEntry() {
        entry = place.entry();
        resent = false;
    }

    private void refused(Optional<LockHolder> by) {
        long nestedId = wait == null ? 0 : wait.id;
        Duration waited = budget.isOneTry() ? Duration.ZERO : budget.spent();
        result = new AcquireResult.Contended(key, waited, by, !budget.isOneTry(), nestedId);
        state = State.ENDED;
    }

    private void end() {
        state = State.OVER;
        publishOutcome(result instanceof AcquireResult.Contended, this::outcome);
        if (result instanceof Handle granted && shared.locks.isOver(queue)) {
            Handle.giveBack(List.of(granted));
            throw shared.locks.tooLate(key);
        }
    }

    private LockEvent.OfLock outcome() {
        String name = terms.name();
        Duration waited = budget.spent();
        int placeInLine = wait == null ? 0 : place.number();
        if (result() instanceof AcquireResult.Contended refusal) {
            return new LockEvent.NotAcquired(key, name, waited, refusal.holder(), placeInLine);
        }
        long token = ((Handle) result()).fencingToken();
        return new LockEvent.Acquired(key, name, token, waited, entry == null, blocker.get(), placeInLine);
    }

    /**
     * Ends the acquisition without an outcome: leaves nothing behind, and lets the next caller in line continue, whatever goes wrong.
     * Does nothing if listeners already know the outcome.
     *
     * @param abandoned whether to undo everything in the background, whatever the failure
     */
    void fail(Throwable e, boolean abandoned) {
        State former = state;
        if (former == State.OVER) {
            return;
        }
        state = State.OVER;
        try {
            switch (former) {
                case IN_LINE -> ClientContext.all(this::leaveLine, place::leave);
                case ASK, QUEUED, NO_CONNECTION, OUTAGE ->
                    ClientContext.all(() -> withdraw(e, abandoned), place::leave);
                case START, ENDED, OVER -> {}
            }
        } catch (RuntimeException | Error another) {
            e.addSuppressed(another);
        } finally {
            publishOutcome(false, () -> new LockEvent.Failed(key, terms.name(), budget.spent(), e));
        }
    }

    private void leaveLine() {
        if (place.isOver() || place.cancel()) {
            return;
        }
        QueueEntry.Grant handoff = place.takeHandoff();
        if (handoff != null) {
            shared.locks.giveBack(terms, handoff.owner(), caller, place);
        } else {
            entry = place.entry();
            undo();
        }
    }

    private void withdraw(Throwable e, boolean abandoned) {
        stopWaiting();
        if (!abandoned && (e instanceof InterruptedException || e instanceof LockOverloadException)) {
            giveUp();
        } else if (!abandoned && e instanceof LockStoreException failure) {
            failed(failure);
        } else {
            undo();
        }
    }

    private void failed(LockStoreException e) {
        if (isShortage(e) && !resent && place.leave()) {
            return;
        }
        boolean lineWaits = isShortage(e) || place.isLineAnswered();
        try {
            if (!isShortage(e) && lineWaits && entry.failing() == null) {
                entry.failing(new Failing(sentAt, e));
            }
            dropEntry();
        } finally {
            if (!lineWaits) {
                place.fail(e);
            }
        }
    }

    private void stopWaiting() {
        entry.wakes(QueueEntry.NOBODY);
        if (turn != null) {
            turn.close();
            turn = null;
        }
    }

    /**
     * The store removes the acquisition before the caller learns that it was refused: otherwise the store might grant the lock
     * to a caller that no longer waits. This takes one call, which an interrupt does not end. If the store does not respond,
     * the removal is left to the background; if the store is known to be failing, this happens immediately. If every try was
     * answered, the next caller in line, if there is one, takes over the entry instead.
     */
    private void giveUp() {
        if (!resent && place.leave()) {
            return;
        }
        boolean kept = queue.entries.giveUp(entry);
        place.leave();
        if (entry.failing() != null) {
            dropEntry();
        } else if (resent || kept) {
            client.leave(key, entry.owner, resent ? terms.leaseNanos() : 0);
        }
    }

    /**
     * Gives up the entry, in the background. A send without a reply may still arrive, so the acquisition is then
     * cancelled as well.
     */
    private void dropEntry() {
        if (queue.entries.giveUp(entry) || resent) {
            client.cleanup.leave(key, entry.owner, resent ? terms.leaseNanos() : 0);
        }
    }

    private void undo() {
        resent = true;
        dropEntry();
    }

    /** Records that the caller begins to wait; fails if too many are already waiting for the lock. Only the first call counts. */
    private void beginWait() {
        if (wait == null) {
            wait = shared.waits.begin(terms, budget, caller);
            if (shared.events.hasListeners()) {
                shared.events.publish(new LockEvent.Waiting(key, terms.name()));
            }
        }
    }

    private void publishOutcome(boolean timedOut, Supplier<LockEvent.OfLock> outcome) {
        if (wait != null) {
            wait.end(timedOut);
        }
        if (observed != null) {
            LockEvent.OfLock event = outcome.get();
            shared.events.publish(event);
            observed.ended(event);
        }
    }

    /** The thread of this client that holds the lock exclusively, if there is one. */
    private Optional<LockHolder> sibling() {
        return Optional.ofNullable(shared.locks.findLive(key)).map(hold -> hold.describe(client.id()));
    }

    // One of several that are acquired all at once.

    /** Threads are busy for this long only if the store does not reply; one more call would delay all calls behind it. */
    boolean isLate() {
        return caller.task() && budget.isLongOver();
    }

    /** Enters the line if it is empty. */
    boolean enterIfEmpty() {
        queue = client.queue();
        LocalQueue.Place found = queue.tryEnter(key, terms.handoffTerms(), caller.waiter());
        if (found != null) {
            place = found;
        }
        return found != null;
    }

    /** Whether a lease granted by the latest call has not expired yet. */
    boolean isInTime() {
        return client.ticker.nanos() - sentAt < terms.leaseNanos();
    }

    /** Listeners are notified of the acquisition from now on. */
    void observe() {
        if (shared.events.hasListeners()) {
            observed = shared.events.begin(key, terms.name());
        }
    }

    /** Returns its part of the call for all locks, once it is the front: for one token. That call creates no queue entry. */
    AcquireRequest requestAtOnce() {
        holder = ClientContext.currentThread().in(traceparent);
        entry = place.entry();
        state = State.ASK;
        return request(!budget.isOneTry(), 1);
    }

    /** Handles the reply to its part of that call, which is the last one. */
    AcquireResult take(AcquireReply reply) {
        observe();
        resent |= reply.resent();
        try {
            if (reply instanceof AcquireReply.Granted grant) {
                hold(entry.granted(grant, sentAt, terms.leaseNanos(), resent));
            } else {
                leaveAtOnce();
                refused(((AcquireReply.Held) reply).holder());
            }
        } catch (RuntimeException | Error e) {
            fail(e, true);
            throw e;
        }
        end();
        return result();
    }

    /** Leaves the line if it is still in it. If a send may still arrive, the acquisition is cancelled. */
    void leaveAtOnce() {
        if (state == State.ASK) {
            dropEntry();
        }
        if (place != null && state != State.OVER) {
            place.leave();
        }
        state = State.OVER;
    }
}
