package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One caller's place, from when it wants a lock until it has given it back or gone without. It stands in line behind other callers
 * of this client; then, in front, it asks the store, has an entry in the lock's queue there, and waits on that; then it holds the
 * lock. Each of these is {@linkplain #look looked at} in the same way.
 *
 * <p><b>Exactly one successor is let in.</b> Whatever ends a place that is in front, {@link #handOff}, {@link #leave}, or one of the
 * ways to give up, lets in the next one in line, or hands it the lock, in the same step; of several ends only the first one counts.
 * See {@link Line}.
 *
 * <p>Used by one thread at a time; once it holds the lock, {@link #handOff} and {@link #leave} by any.
 */
public final class Place {

    private final Queues queues;
    private final LockKey key;
    private final Line.@Nullable Member line;
    private final Waiter waiter;
    private @Nullable QueueEntry entry;
    private Outages.@Nullable Place outage;

    /** Until when it waits for a connection to the store, on the ticker; only while it does. */
    private long connectionAt;

    private boolean waitsForConnection;

    /** Whether the store has given it an entry, by the last call that was answered. */
    private boolean queued;

    private @Nullable Cohort cohort;

    Place(Queues queues, LockKey key, Line.@Nullable Member line, Waiter waiter) {
        this.queues = queues;
        this.key = key;
        this.line = line;
        this.waiter = waiter;
    }

    /**
     * A lock that one caller of this client hands to the next, without the store: the lease stays as it is.
     *
     * @param owner the acquisition that it was granted to
     * @param token the next holder's fencing token
     * @param deadline until when it is certainly held without renewal, on the ticker
     */
    public record HandOff(OwnerId owner, long token, long deadline) {}

    /**
     * A lock that a message of the store has granted.
     *
     * @param reservation the grant
     * @param deadline until when it is certainly held unless it is confirmed, on the ticker
     */
    public record Claim(Reservation reservation, long deadline) {}

    // In line.

    /** {@return whether others are in front of it, so that it may not ask the store, and has not got the lock} */
    public boolean isInLine() {
        return line != null && line.isWaiting();
    }

    /** {@return whether it has left the line: its time was over, or the one in front of it was refused} */
    public boolean isOver() {
        return line != null && line.isOver();
    }

    /**
     * Leaves the line. Before it {@linkplain #comeToFront comes to the front}.
     *
     * @return whether it is over; if not, it is the front, and has to act as such
     */
    public boolean cancel() {
        return line == null || line.cancel();
    }

    /** {@return the lock that was handed off to it, if it was; once} */
    public @Nullable HandOff takeHandOff() {
        LineHandOff handOff = line == null ? null : line.takeHandOff();
        if (handOff == null) {
            return null;
        }
        cohort = handOff.cohort();
        return new HandOff(handOff.cohort().owner(), handOff.token(), handOff.deadline());
    }

    /** {@return whether others of this client stand in line behind it} */
    public boolean hasFollowers() {
        return line != null && line.hasFollowers();
    }

    /** {@return who holds the lock, as the one in front was told last} */
    public Optional<LockHolder> blockedBy() {
        return line == null ? Optional.empty() : line.blockedBy();
    }

    /**
     * Looks whether a wait is over: in line, in the queue at the store, for a connection, or for a store that fails. Whoever waits is
     * woken when it may be so.
     *
     * @param budget ends the wait
     * @return for how long to wait at most before the next look, in nanoseconds; 0 if there is something to do, or the budget is spent
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if the budget is spent while the store fails, or it has failed for too long, or the one in front was
     *     refused by it
     */
    public long look(Budget budget) {
        Outages.Place failed = outage;
        if (failed != null) {
            return failed.look(budget, failing());
        }
        QueueEntry mine = entry;
        if (mine != null) {
            long left = mine.look(budget);
            return waitsForConnection
                    ? Math.max(0, Math.min(left, connectionAt - queues.ticker().nanos()))
                    : left;
        }
        return line == null ? 0 : line.look(budget);
    }

    // In front: asks the store.

    /** Comes to the front, with what the one before it has left behind. Before anything below. */
    public void comeToFront() {
        QueueEntry inherited = line == null ? null : line.inheritEntry();
        queued = inherited != null;
        entry = inherited == null ? queues.openEntry(key) : inherited;
        Failing failing = line == null ? null : line.failing();
        if (failing != null) {
            fails(failing);
        }
    }

    /**
     * {@return how many fencing tokens an acquisition reserves that others stand in line behind}
     *
     * @param leaseMillis its lease, which they do not outlast
     */
    public static long tokens(long leaseMillis) {
        return Cohort.tokens(leaseMillis);
    }

    private QueueEntry entry() {
        return Objects.requireNonNull(entry);
    }

    /** {@return the acquisition} */
    public OwnerId owner() {
        return entry().owner();
    }

    /** The store is about to be asked: whatever messages come from now on are news. */
    public void asking() {
        entry().rearm();
    }

    /**
     * The store has answered.
     *
     * @param waiting whether it was asked to keep an entry
     */
    public void answered(boolean waiting) {
        queued = waiting;
        entry().answered();
        if (line != null) {
            line.answered();
        }
    }

    /** A send of its calls was not answered, and may still arrive. */
    public void markResent() {
        entry().markResent();
    }

    /** {@return whether a send of its calls was not answered, and may still arrive} */
    public boolean isResent() {
        return entry().isResent();
    }

    /** The store has told who holds the lock: those behind can say why they got nothing. */
    public void blockedBy(Optional<LockHolder> holder) {
        if (line != null) {
            line.blockedBy(holder);
        }
    }

    /**
     * The store keeps an entry for it, which is waited on from now on.
     *
     * @param askedAt when it was asked, on the ticker, before the first send
     * @param held the answer
     */
    public void queued(long askedAt, AcquireReply.Held held) {
        queues.entries().taken(entry(), askedAt, held);
        if (line != null) {
            line.waitsWith(entry());
        }
        entry().wakes(waiter);
    }

    /**
     * All connections to the store were in use, so that nothing was sent: that is waited for like the lock itself.
     *
     * @param nanos when to try again, unless it is woken before
     */
    public void waitForConnection(long nanos) {
        connectionAt = queues.ticker().nanos() + nanos;
        waitsForConnection = true;
        entry().wakes(waiter);
    }

    /** It waits on its entry no longer, nor for a connection, and looks what there is. */
    public void stopWaiting() {
        waitsForConnection = false;
        if (entry != null) {
            entry.wakes(null);
        }
        leaveOutage();
    }

    /** {@return the lock that a message has granted; null if none is known, or it is old, or cannot be true} */
    public @Nullable Claim claim() {
        StoreTime.Believed believed = entry().claim();
        return believed == null ? null : new Claim(believed.reservation(), believed.deadline());
    }

    /** A claim is used. */
    public void claimed() {
        answered(queued);
    }

    /** Whatever was asked for is never asked for again: goes on as a new acquisition. */
    public void startOver() {
        Failing known = failing();
        entry = queues.openEntry(key);
        queued = false;
        if (known != null) {
            entry.failing(known);
        }
    }

    // The store fails.

    private @Nullable Failing failing() {
        return entry == null ? null : entry.failing();
    }

    /** {@return whether the store fails, as far as is known} */
    public boolean isStoreFailing() {
        return failing() != null;
    }

    /** {@return whether the store has failed since it answered this acquisition for the last time} */
    public boolean hasMetFailure() {
        return entry().hasMetFailure();
    }

    /** {@return whether the store has answered anybody of the line} */
    public boolean isLineAnswered() {
        return line != null && line.isLineAnswered();
    }

    /**
     * The store fails: those behind look how long they may wait for that.
     *
     * @param sentAt when it was asked, on the ticker; if it failed before, that counts
     * @param failure what it said
     */
    public void fails(long sentAt, LockStoreException failure) {
        Failing known = failing();
        fails(new Failing(known == null ? sentAt : known.since(), failure));
    }

    private void fails(Failing failing) {
        entry().failing(failing);
        if (line != null) {
            line.waitsWith(entry());
        }
    }

    /** Queues behind those of this client who wait for the same store. */
    public void joinOutage() {
        outage = queues.joinOutage(key, failing() != null, waiter);
    }

    /**
     * {@return whether the budget is spent on an outage, though the store is back}
     *
     * @param budget ends the wait
     * @throws LockStoreException if it is spent, and the store still fails
     */
    public boolean isOutageTooLong(Budget budget) {
        Failing failing = failing();
        boolean spent = budget.remainingNanos(failing) == 0;
        if (spent && failing != null) {
            throw failing.over(key);
        }
        return spent;
    }

    /** The store has failed again. */
    public void failedAgain() {
        Objects.requireNonNull(outage).failed();
    }

    /** The store has answered again: the next one may ask at once. */
    public void recovered() {
        Objects.requireNonNull(outage).answered();
        leaveOutage();
    }

    private void leaveOutage() {
        Outages.Place left = outage;
        outage = null;
        if (left != null) {
            left.close();
        }
    }

    // Without the lock.

    /**
     * Leaves its entry to the next one in line.
     *
     * @return false if there is none, or the entry is no good: then it is to be given up
     */
    public boolean passEntry() {
        return !isResent() && line != null && line.pass(entry());
    }

    /**
     * Nobody is to hear for its entry any more.
     *
     * @return whether the store was asked to keep it, and may do so
     */
    public boolean closeEntry() {
        queues.entries().giveUp(entry());
        return queued;
    }

    /**
     * The store has refused: those behind it, who would be refused too, are told, and need not try one after the other.
     *
     * @param cause what the store said
     */
    public void fail(LockStoreException cause) {
        if (line != null) {
            line.fail(cause);
        }
    }

    /**
     * Waits no longer for a store that fails. Those behind it have queued before, and wait on for as long as each of them may.
     *
     * @param sentAt when it was asked, on the ticker; if it failed before, that counts
     * @param failure what it said
     */
    public void passOn(long sentAt, LockStoreException failure) {
        if (line != null) {
            Failing known = failing();
            line.passOn(known == null ? new Failing(sentAt, failure) : known);
        }
    }

    // With the lock.

    /**
     * Holds the lock. It hears for itself from now on, so that it can be handed off.
     *
     * @param owner the acquisition that was granted
     * @param firstToken its fencing token
     * @param tokens how many were reserved
     * @param waiters who waited at the store then
     * @param confirmed whether the store gave a whole lease
     */
    public void granted(OwnerId owner, long firstToken, long tokens, Waiters waiters, boolean confirmed) {
        if (line != null) {
            Cohort made = new Cohort(owner, firstToken, tokens, waiters, confirmed, queues.ticker());
            cohort = made;
            queues.lines().attend(made);
        }
    }

    /** The lock that was handed off to it is not there any more: it is in front, without it. */
    public void notHeld() {
        if (cohort != null) {
            queues.lines().dismiss(cohort);
            cohort = null;
        }
    }

    /** {@return whether the store gave a whole lease at once} */
    public boolean isConfirmed() {
        return cohort == null || cohort.isConfirmed();
    }

    /** {@return the last token that was used of those that the grant reserved; 0 if it reserved only one} */
    public long lastToken() {
        return cohort == null ? 0 : cohort.lastToken();
    }

    /**
     * Hands the lock to the next one in line, if that one asked for the same terms and may have it. Then this place is over.
     *
     * @param deadline until when the lock is certainly held without renewal, on the ticker
     * @return whether it does not belong to this caller any more
     */
    public boolean handOff(long deadline) {
        return line != null && cohort != null && line.handOff(cohort, deadline);
    }

    /** The lock is given back to the store, or lost, or was never there: the next one in line goes on. Does nothing the second time. */
    public void leave() {
        Cohort held = cohort;
        if (held != null) {
            queues.lines().dismiss(held);
        }
        if (line != null) {
            line.pass(null);
        }
    }
}
