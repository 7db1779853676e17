package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One caller's place, from its request for a lock until it has released the lock or given up. First it is in line behind other
 * callers of this client; then, in {@linkplain #comeToFront front}, it calls the store; then it holds the lock.
 *
 * <p><b>Exactly one successor is let in.</b> Whatever ends a place that is in front, {@link #handOff}, {@link #leave}, {@link #fail}, or
 * one of the ways of a {@link Front} to give up, lets in the next one in line, or hands it the lock, in the same step; of several
 * ends only the first one counts. {@link Line} says why.
 *
 * <p>Used by one thread at a time; once it holds the lock, {@link #handOff} and {@link #leave} by any.
 */
public final class Place {

    private final Queues queues;
    private final LockKey key;
    private final Line.Member line;
    private final Runnable waiter;

    /** The grant that it may hand off; null without a lock, and for a lock that is not handed off. */
    private @Nullable Cohort cohort;

    /**
     * A lock that one caller of this client hands to the next, without the store: the lease stays as it is.
     *
     * @param owner the acquisition that it was granted to
     * @param token the next holder's fencing token
     * @param deadline until when it is certainly held without renewal, on the ticker
     */
    public record HandOff(OwnerId owner, long token, long deadline) {}

    Place(Queues queues, LockKey key, Line.Member line, Runnable waiter) {
        this.queues = queues;
        this.key = key;
        this.line = line;
        this.waiter = waiter;
    }

    // In line.

    /** {@return whether others are in front of it, so that it may not ask the store, and has not got the lock} */
    public boolean isInLine() {
        return line.isWaiting();
    }

    /** {@return whether it has left the line: its time was over, or the one in front of it was refused} */
    public boolean isOver() {
        return line.isOver();
    }

    /**
     * Checks whether the wait in line is over. The waiter is woken when it may be.
     *
     * @param budget ends the wait
     * @return for how long to wait at most before the next check, in nanoseconds; 0 if there is something to do, or the budget is spent
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if the budget is spent while the store fails, or it has failed for too long, or it has refused the
     *     one in front
     */
    public long look(Budget budget) {
        return line.look(budget);
    }

    /**
     * Leaves the line. Before it {@linkplain #comeToFront comes to the front}.
     *
     * @return whether it is over; if not, it is the front, and has to act as such
     */
    public boolean cancel() {
        return line.cancel();
    }

    /** {@return the lock that was handed off to it, if it was; once} */
    public @Nullable HandOff takeHandOff() {
        Cohort taken = line.takeHandOff();
        if (taken == null) {
            return null;
        }
        cohort = taken;
        return new HandOff(taken.owner(), taken.lastToken(), taken.deadline());
    }

    /** {@return whether others of this client stand in line behind it} */
    public boolean hasFollowers() {
        return line.hasFollowers();
    }

    /** {@return who holds the lock, as the store last reported to the one in front} */
    public Optional<LockHolder> blockedBy() {
        return line.news().holder();
    }

    /** {@return the caller as the front of its line, with what the front before it has left behind} */
    public Front comeToFront() {
        return new Front(queues, key, line, waiter);
    }

    // With the lock.

    /**
     * Holds the lock. If it may hand it off, it receives messages itself from now on: that is, if it stands in a line, and has more
     * than one token.
     *
     * @param owner the acquisition that was granted
     * @param firstToken its fencing token
     * @param tokens how many were reserved
     * @param waiters who waited at the store then
     * @param confirmed whether the store gave a whole lease
     */
    public void granted(OwnerId owner, long firstToken, long tokens, Waiters waiters, boolean confirmed) {
        if (tokens > 1 && !line.isAlone()) {
            Cohort made = new Cohort(owner, firstToken, tokens, waiters, confirmed, queues.ticker());
            cohort = made;
            queues.entries().attend(made);
        }
    }

    /** The lock that was handed off to it has ended: it is in front, without it. */
    public void notHeld() {
        if (cohort != null) {
            queues.entries().dismiss(cohort);
            cohort = null;
        }
    }

    /** {@return whether the store gave a whole lease at once; if it does not matter, since the lock is not handed off, true} */
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
        return cohort != null && line.handOff(cohort, deadline);
    }

    // The end.

    /**
     * The store has refused: those in line would be refused too, so they fail, and do not try one after the other.
     *
     * @param cause what the store said
     */
    public void fail(LockStoreException cause) {
        line.fail(cause);
    }

    /**
     * The store has the lock back, or it is lost, or never was granted: lets the next one in. Does nothing the second time, or after a
     * hand-off, since the messages to the cohort are for the next holder then.
     */
    public void leave() {
        Cohort held = cohort;
        if (held != null && !line.isOver()) {
            queues.entries().dismiss(held);
        }
        line.pass(null);
    }
}
