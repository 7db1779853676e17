package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.Place;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition at the store, from the first try to a grant or to nothing.
 *
 * <p>All tries share one owner id. Between two tries it waits at its {@link Place}. Whatever ends the acquisition without a
 * grant leaves nothing behind: if every try was answered, the entry in the queue is left to the next one in line, or given up, and
 * the caller hears of an interrupt, or of the end of its time, when the store knows; if the outcome of a try is unknown, the
 * acquisition is undone and buried, and its owner id is never sent again.
 *
 * <p>The budget is one: when it ends between two tries the lock is asked for a last time, as somebody who does not wait,
 * so the store forgets the waiter in the same step, unless somebody behind it goes on waiting in its place. When it ends
 * during a try, that was the last one. A try that could not be sent, since all connections of this client were in use, is none:
 * it is made again within the budget.
 *
 * <p>A grant whose answer came after its own deadline is no grant: it is undone, and the acquisition starts over, with
 * another owner id, within the same budget; if that is spent, the acquisition fails as one that the store did not answer.
 * The deadline counts from before that very try was sent.
 *
 * <p>If the store fails after it has answered once, the acquisition waits on, with others that do.
 *
 * <p>What the store has refused has changed nothing there: an acquisition whose first try is refused has no entry to give up.
 */
final class Acquisition {

    /**
     * The store has granted the lock.
     *
     * @param at when the hold begins, on the ticker
     * @param deadline until when it is certainly held
     * @param confirmed whether the store knows that; if not, the lease is still short
     */
    record Granted(
            OwnerId owner,
            long token,
            long tokens,
            Waiters waiters,
            long at,
            long deadline,
            boolean confirmed,
            boolean resent) {}

    private enum Phase {
        /** The store is to be asked. */
        ASK,
        /** Waits in the lock's queue at the store. */
        QUEUED,
        /** All connections were in use. */
        BUSY,
        /** The store failed. */
        OUTAGE,
        END
    }

    /** What must be left of a grant that the store gave by a message, and has not confirmed, for somebody to use it. */
    static final long SHORTEST_UNCONFIRMED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Between two tries to get a connection. The store has waited for one itself, if it can. */
    private static final long BUSY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ClientContext client;
    private final LockKey key;
    private final Terms terms;
    private final HolderInfo holder;
    private final Place place;
    private final Caller caller;
    private final Budget budget;
    private final Waits.Wait wait;

    private Phase phase = Phase.ASK;
    private long sentAt;
    private boolean queued;
    private long busyUntil;
    private @Nullable Granted granted;
    private Optional<LockHolder> blockedBy = Optional.empty();

    /**
     * @param place the caller's, in front
     * @param wait is told when the caller has to wait
     */
    Acquisition(ClientContext client, Call call, HolderInfo holder, Place place, Waits.Wait wait) {
        this.client = client;
        this.key = call.key();
        this.terms = call.terms();
        this.holder = holder;
        this.place = place;
        this.caller = call.caller();
        this.budget = call.budget();
        this.wait = wait;
        place.comeToFront();
    }

    /**
     * Goes on until the lock is granted, or the budget is spent, or there is nothing to do but to wait.
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
                    case QUEUED -> inQueue();
                    case BUSY -> whileBusy();
                    case OUTAGE -> duringOutage();
                    case END -> 0;
                };
            }
            through = true;
            return left;
        } catch (InterruptedException | LockOverloadException e) {
            through = true;
            stopWaiting();
            giveUp();
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
    @Nullable
    Granted granted() {
        return granted;
    }

    /** Who held the lock when the budget was spent, if that is known. */
    Optional<LockHolder> blockedBy() {
        return blockedBy;
    }

    /** As whom the lock was asked for. */
    HolderInfo holder() {
        return holder;
    }

    /** Gives up between two steps. */
    void interrupt(InterruptedException e) throws InterruptedException {
        stopWaiting();
        giveUp();
        throw e;
    }

    /** Whatever its state, it is undone in the background, and the next one in line goes on. */
    void abandon() {
        stopWaiting();
        undo();
        place.leave();
    }

    private void stopWaiting() {
        phase = Phase.END;
        place.stopWaiting();
    }

    private void fail(LockStoreException e) throws InterruptedException {
        if (caller.takeInterrupt()) {
            place.leave();
            giveUpEntry(e.outcomeUnknown() || place.isResent());
            throw interrupted(e);
        }
        if (e.outcomeUnknown()) {
            undo();
        } else {
            dropEntry(place.isResent());
        }
        if (isQueued()) {
            place.passOn(sentAt, e);
        } else {
            place.fail(e);
        }
    }

    private boolean isQueued() {
        return queued || place.isLineAnswered();
    }

    /** The store is asked, unless it is known to fail. */
    private long askOrQueue() throws InterruptedException {
        if (caller.takeInterrupt()) {
            throw new InterruptedException();
        }
        if (place.hasMetFailure()) {
            queueForOutage();
            return 0;
        }
        boolean last = budget.remainingNanos() == 0;
        AcquireReply reply;
        try {
            reply = ask(!last || place.hasFollowers());
        } catch (LockStoreException e) {
            if (e.getCause() instanceof ConnectionsInUseException && budget.remainingNanos() > 0) {
                wait.begin();
                busyUntil = client.ticker().nanos() + Math.min(BUSY_PAUSE_NANOS, budget.remainingNanos());
                phase = Phase.BUSY;
            } else if (isQueued() && budget.toleratesOutages() && !caller.isInterrupted()) {
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

    /** All connections were in use, so that nothing was sent: that is waited for like the lock itself. */
    private long whileBusy() {
        long left = busyUntil - client.ticker().nanos();
        if (left > 0) {
            return left;
        }
        phase = Phase.ASK;
        return 0;
    }

    private void queueForOutage() {
        wait.begin();
        place.joinOutage();
        phase = Phase.OUTAGE;
    }

    /**
     * Who has queued before the store failed waits for it, as long as its budget allows; one caller of this client asks at a time
     * then, also when the store is back, since the queue may have to be formed anew.
     */
    private long duringOutage() {
        long left = place.look(budget);
        if (left > 0) {
            return left;
        }
        if (place.isOutageTooLong(budget)) {
            AcquireReply reply = ask(place.hasFollowers());
            place.stopWaiting();
            settle(reply, true);
            return 0;
        }
        AcquireReply reply;
        try {
            reply = ask(true);
        } catch (LockStoreException e) {
            place.failedAgain();
            if (caller.isInterrupted()) {
                throw e;
            }
            startOver(e);
            return 0;
        }
        place.recovered();
        settle(reply, false);
        return 0;
    }

    /**
     * Looks at an answer.
     *
     * @param last whether the store was asked for the last time
     */
    private void settle(AcquireReply reply, boolean last) {
        if (reply instanceof AcquireReply.Held held) {
            refused(held, last || budget.remainingNanos() == 0);
        } else if (reply instanceof AcquireReply.Granted fresh
                && client.ticker().nanos() - deadline() < 0) {
            granted = granted(fresh);
            phase = Phase.END;
        } else {
            startAfresh(reply);
        }
    }

    private void refused(AcquireReply.Held held, boolean last) {
        place.blockedBy(held.holder());
        if (last) {
            blockedBy = held.holder();
            phase = Phase.END;
            giveUp();
            return;
        }
        wait.begin();
        place.queued(sentAt, held);
        phase = Phase.QUEUED;
    }

    private void startAfresh(AcquireReply reply) {
        LockStoreException late = tooLate(reply);
        undo();
        if (budget.remainingNanos() == 0) {
            place.leave();
            throw late;
        }
        place.startOver();
        phase = Phase.ASK;
    }

    private long inQueue() {
        long left = place.look(budget);
        if (left > 0) {
            return left;
        }
        place.stopWaiting();
        granted = claim();
        phase = granted == null ? Phase.ASK : Phase.END;
        return 0;
    }

    /** The hold is known: from now on it hears for itself. */
    void end() {
        place.closeEntry();
    }

    private Granted granted(AcquireReply.Granted granted) {
        return new Granted(
                place.owner(),
                granted.token(),
                granted.tokens(),
                granted.waiters(),
                sentAt,
                deadline(),
                true,
                place.isResent());
    }

    /**
     * The lock that a message has granted, if there is one. It is used as it is: that saves the round trip of a claim, and
     * the watchdog confirms it if it is held for long enough. But not for a lease that is not to be renewed, nor for one
     * that will end soon.
     */
    private @Nullable Granted claim() {
        Place.Claim claim = terms.renew() && terms.minHoldNanos() == 0 ? place.claim() : null;
        long now = client.ticker().nanos();
        if (claim == null || claim.deadline() - now < SHORTEST_UNCONFIRMED_NANOS) {
            return null;
        }
        place.claimed();
        Reservation told = claim.reservation();
        return new Granted(
                place.owner(),
                told.token(),
                told.tokens(),
                told.waiters(),
                now,
                claim.deadline(),
                false,
                place.isResent());
    }

    /** If the store may have done what it was asked, by an owner id that it does not know. */
    private void startOver(LockStoreException e) {
        if (e.outcomeUnknown()) {
            undo();
            place.startOver();
        }
        place.fails(sentAt, e);
    }

    private AcquireReply ask(boolean waiting) {
        long tokens = place.hasFollowers() ? Place.tokens(terms.leaseMillis()) : 1;
        var request = new AcquireRequest(
                key,
                place.owner(),
                terms.leaseMillis(),
                holder,
                terms.limit(),
                terms.weight(),
                terms.fair(),
                waiting,
                tokens,
                0,
                false);
        place.asking();
        sentAt = client.ticker().nanos();
        int[] sends = {0};
        AcquireReply reply;
        try {
            reply = caller.interruptible()
                    ? client.store().acquire(request)
                    : Uninterruptibly.call(() -> {
                        sends[0]++;
                        return client.store().acquire(request);
                    });
        } finally {
            if (sends[0] > 1) {
                place.markResent();
            }
        }
        queued |= reply instanceof AcquireReply.Held;
        place.answered(waiting);
        if (isResent(reply)) {
            place.markResent();
        }
        return reply;
    }

    private static boolean isResent(AcquireReply reply) {
        return (reply instanceof AcquireReply.Granted granted && granted.resent())
                || (reply instanceof AcquireReply.Held held && held.resent());
    }

    /** Every try was answered: the entry is good for the next one in line. If there is none, it is given up. */
    private void giveUp() {
        if (!place.passEntry()) {
            place.leave();
            giveUpEntry(place.isResent());
        }
    }

    /**
     * Before the caller hears that it got nothing, the store has forgotten it: or the lock might be on its way to somebody who
     * went away. That takes one call, which no interrupt ends. If the store does not answer, it is told in the background;
     * at once if it is known to fail.
     */
    private void giveUpEntry(boolean bury) {
        boolean kept = place.closeEntry();
        if (place.isStoreFailing()) {
            dropEntry(bury);
        } else if (bury || kept) {
            try {
                Uninterruptibly.call(() -> {
                    client.cleanup()
                            .leaveNow(key, place.owner(), bury ? terms.lease().leaseNanos() : 0);
                    return kept;
                });
            } catch (LockStoreException e) {
                dropEntry(bury);
            }
        }
    }

    /** In the background. If a send of its calls was not answered, it may still arrive, so the acquisition is buried as well. */
    private void dropEntry(boolean bury) {
        if (bury) {
            undo();
        } else if (place.closeEntry()) {
            client.cleanup().leave(key, place.owner());
        }
    }

    private void undo() {
        place.closeEntry();
        client.cleanup().undo(key, place.owner(), terms.lease().leaseNanos());
    }

    /** Nobody holds the lock, as far as is known here: that is no contention. */
    private LockStoreException tooLate(AcquireReply reply) {
        String why = reply instanceof AcquireReply.Granted
                ? "was granted by Redis, but its lease of " + terms.leaseMillis()
                        + " ms had ended when the answer came after "
                        + TimeUnit.NANOSECONDS.toMillis(client.ticker().nanos() - sentAt)
                        + " ms. The grant is undone. Check why Redis, the network or this process is slow, or ask for a"
                        + " longer lease."
                : "was refused by Redis, since this acquisition had been undone before. Nobody is known to hold it.";
        return new LockStoreException("Lock '" + key + "' " + why, null, false);
    }

    /** The driver gave up its answer because the thread was interrupted. */
    static InterruptedException interrupted(LockStoreException failure) {
        var interrupt = new InterruptedException("Interrupted while Redis was asked");
        interrupt.initCause(failure);
        return interrupt;
    }

    private long deadline() {
        return sentAt + terms.lease().leaseNanos();
    }
}
