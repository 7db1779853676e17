package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.Front;
import io.holdfast.lock.waiting.LocalQueue.Place;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition at the store, from the first try to a grant or to nothing.
 *
 * <p>All tries share one owner id. Between two tries it waits at its {@link Place}. Whatever ends the acquisition without a
 * grant leaves nothing behind: if every try was answered, the entry in the queue is passed to the next one in line, or given up,
 * and an interrupt or a timeout is reported to the caller only when the store knows of it; if the outcome of a try is unknown,
 * the acquisition is undone and cancelled, and its owner id is never sent again.
 *
 * <p>There is a single budget: when it ends between two attempts, the lock is requested one last time without waiting, so that
 * the store removes the entry in the same step, unless a caller behind it continues to wait with it. When it ends
 * during a try, that was the last one. A try that could not be sent, because this client had no connection for it, does not
 * count: it is repeated within the budget. If the budget is spent, only this caller fails: the store has said nothing, so those behind
 * it in line continue, with its entry.
 *
 * <p>A grant whose reply arrives after its own deadline is not a grant: it is undone, and the acquisition starts over, with
 * another owner id, within the same budget. If the budget is spent, the acquisition fails as if the store had not replied. The
 * deadline counts from before that very try was sent.
 *
 * <p>If the store fails after it has replied once, the acquisition continues to wait, like others that wait for the store.
 *
 * <p>A call that the store has refused has changed nothing there: an acquisition whose first try is refused has no entry to give
 * up.
 */
final class Acquisition {

    private enum Phase {
        /** The next step calls the store. */
        ASK,
        /** Waits in the lock's queue at the store, or for a connection to it. */
        WAITING,
        /** The store failed. */
        OUTAGE,
        END
    }

    /** The pause between two tries to get a connection. The store has already waited for one itself, if it can. */
    private static final long BUSY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ClientContext client;
    private final LockKey key;
    private final Call call;
    private final Terms terms;
    private final Place place;
    private final Front front;
    private final Question question;
    private final Withdrawal withdrawal;
    private final Caller caller;
    private final Budget budget;
    private final Waits.Wait wait;

    private Phase phase = Phase.ASK;
    private Hold.@Nullable Grant granted;
    private Optional<LockHolder> blockedBy = Optional.empty();

    /**
     * @param place the caller's, in front
     * @param wait is notified when the caller has to wait
     */
    Acquisition(ClientContext client, Call call, HolderInfo holder, Place place, Waits.Wait wait) {
        this.client = client;
        this.key = call.key();
        this.call = call;
        this.terms = call.terms();
        this.place = place;
        this.front = new Front(
                client.queue(),
                client.store(),
                client.ticker(),
                key,
                place,
                call.caller().waiter());
        this.question = new Question(client, call, holder, front);
        this.withdrawal = new Withdrawal(client.cleanup(), place, front, key, terms.leaseNanos());
        this.caller = call.caller();
        this.budget = call.budget();
        this.wait = wait;
    }

    /**
     * Continues until the lock is granted, the budget is spent, or all it can do is wait.
     *
     * @return for how long to wait at most, in nanoseconds; 0 if it is over. After a grant {@link #end} is to be called; without
     *     one the place is over, as it is after an exception
     */
    long proceed() throws InterruptedException {
        boolean through = false;
        try {
            long left = 0;
            while (left == 0 && phase != Phase.END) {
                left = switch (phase) {
                    case ASK -> askOrQueue();
                    case WAITING -> waiting();
                    case OUTAGE -> duringOutage();
                    case END -> 0;
                };
            }
            through = true;
            return left;
        } catch (InterruptedException | LockOverloadException e) {
            through = true;
            stopWaiting();
            withdrawal.giveUp();
            throw e;
        } catch (LockStoreException e) {
            through = true;
            stopWaiting();
            fail(e);
            throw e;
        } finally {
            if (!through) {
                abandon();
            }
        }
    }

    /** The grant; null if there is none. */
    Hold.@Nullable Grant granted() {
        return granted;
    }

    /** Who held the lock when the budget was spent, if known. */
    Optional<LockHolder> blockedBy() {
        return blockedBy;
    }

    /** Gives up between two steps. */
    void interrupt(InterruptedException e) throws InterruptedException {
        stopWaiting();
        withdrawal.giveUp();
        throw e;
    }

    /** Undoes the acquisition in the background, whatever its state, and lets the next one in line continue. */
    void abandon() {
        try {
            stopWaiting();
            withdrawal.undo();
        } finally {
            place.leave();
        }
    }

    private void stopWaiting() {
        phase = Phase.END;
        front.stopWaiting();
    }

    private void fail(LockStoreException e) throws InterruptedException {
        boolean unknown = e.outcomeUnknown() || front.isResent();
        if (caller.takeInterrupt()) {
            place.leave();
            withdrawal.giveUpEntry(unknown);
            throw Caller.interrupted(e);
        }
        if (isShortage(e) && !unknown && front.passEntry()) {
            return;
        }
        try {
            withdrawal.dropEntry(unknown);
        } finally {
            if (isShortage(e)) {
                place.leave();
            } else if (isQueued()) {
                front.passOn(question.sentAt(), e);
            } else {
                place.fail(e);
            }
        }
    }

    private boolean isQueued() {
        return question.wasHeld() || front.isLineAnswered();
    }

    /** Calls the store, unless it is known to fail. */
    private long askOrQueue() throws InterruptedException {
        if (caller.takeInterrupt()) {
            throw new InterruptedException();
        }
        if (question.isNew() && call.isLate()) {
            throw LockOverloadException.ofThreads(key, budget.spent());
        }
        if (front.hasMetFailure()) {
            queueForOutage();
            return 0;
        }
        boolean last = budget.remainingNanos() == 0;
        AcquireReply reply;
        try {
            reply = question.ask(!last || place.hasFollowers());
        } catch (LockStoreException e) {
            if (isShortage(e) && mayRepeat(e)) {
                waitForConnection(e);
            } else if (!isShortage(e) && isQueued() && budget.toleratesOutages() && !caller.isInterrupted()) {
                startOver(e);
                queueForOutage();
            } else {
                throw e;
            }
            return 0;
        }
        settle(reply, last);
        return 0;
    }

    /** Whether it is no word of the store: this client had no connection. */
    private static boolean isShortage(LockStoreException e) {
        return e.getCause() instanceof ConnectionsInUseException;
    }

    /** A single try waits for the first connection only, and for that as long as the store allows. */
    private boolean mayRepeat(LockStoreException e) {
        return budget.remainingNanos() > 0
                || (budget.isOneTry()
                        && e.getCause() instanceof ConnectionsInUseException busy
                        && busy.isFirstConnection());
    }

    /** If the outcome is unknown, as on a quorum of which one server had a connection to spare, it continues with another owner id. */
    private void waitForConnection(LockStoreException e) {
        if (e.outcomeUnknown()) {
            withdrawal.undo();
            front.startOver();
        }
        wait.begin();
        front.waitForConnection(BUSY_PAUSE_NANOS);
        phase = Phase.WAITING;
    }

    private void queueForOutage() {
        wait.begin();
        front.joinOutage();
        phase = Phase.OUTAGE;
    }

    /**
     * A caller that had queued before the store failed waits for it as long as its budget allows. Only one caller of this client
     * calls the store at a time, even after it has recovered, since the queue may have to be formed again.
     */
    private long duringOutage() {
        long left = front.look(budget);
        if (left > 0) {
            return left;
        }
        if (front.isOutageTooLong(budget)) {
            AcquireReply reply = question.ask(place.hasFollowers());
            front.stopWaiting();
            settle(reply, true);
            return 0;
        }
        AcquireReply reply;
        try {
            reply = question.ask(true);
        } catch (LockStoreException e) {
            front.failedAgain();
            if (caller.isInterrupted()) {
                throw e;
            }
            if (!isShortage(e) || e.outcomeUnknown()) {
                startOver(e);
            }
            return 0;
        }
        front.recovered();
        settle(reply, false);
        return 0;
    }

    /**
     * Handles a reply.
     *
     * @param last whether this was the last call to the store
     */
    private void settle(AcquireReply reply, boolean last) {
        Hold.Grant fresh = reply instanceof AcquireReply.Granted found ? question.granted(found) : null;
        if (reply instanceof AcquireReply.Held held) {
            refused(held, last || budget.remainingNanos() == 0);
        } else if (fresh != null && client.ticker().nanos() - fresh.deadline() < 0) {
            granted = fresh;
            phase = Phase.END;
        } else {
            startAfresh(reply);
        }
    }

    private void refused(AcquireReply.Held held, boolean last) {
        front.blockedBy(held.holder());
        if (last) {
            blockedBy = held.holder();
            phase = Phase.END;
            withdrawal.giveUp();
            return;
        }
        wait.begin();
        front.queued(question.sentAt(), held);
        phase = Phase.WAITING;
    }

    private void startAfresh(AcquireReply reply) {
        LockStoreException late = question.tooLate(reply);
        withdrawal.undo();
        if (budget.remainingNanos() == 0) {
            place.leave();
            throw late;
        }
        front.startOver();
        phase = Phase.ASK;
    }

    private long waiting() {
        long left = front.look(budget);
        if (left > 0) {
            return left;
        }
        front.stopWaiting();
        granted = claim();
        phase = granted == null ? Phase.ASK : Phase.END;
        return 0;
    }

    /** The hold is recorded, so messages about the lock now reach it directly. */
    void end() {
        front.closeEntry();
    }

    /**
     * The lock that a message has granted, if there is one. It is used without a call to the store, which saves a round trip; the
     * watchdog confirms it if it is held for long enough. Not used for a lease that is not renewed, or if it ends soon.
     */
    private Hold.@Nullable Grant claim() {
        Front.Claim claim = terms.renew() && terms.minHoldNanos() == 0 ? front.claim() : null;
        long now = client.ticker().nanos();
        if (claim == null || !terms.isWorthUnconfirmed(call.deadline(claim) - now)) {
            return null;
        }
        front.claimed();
        return call.granted(front.owner(), claim, now, front.isResent());
    }

    /** Starts over after a failure; with a new owner id if the store may have carried out the call. */
    private void startOver(LockStoreException e) {
        if (e.outcomeUnknown()) {
            withdrawal.undo();
            front.startOver();
        }
        front.fails(question.sentAt(), e);
    }
}
