package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStoreException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One caller's place at a {@link Line}, from when it comes until it has given the lock back. Its state is written under
 * the line's monitor, and read without it by whoever waits.
 */
final class LinePlace {

    enum State {
        /** Others are in front. */
        WAITING,
        /** Goes to the store, waits there, or holds the lock. */
        FRONT,
        /** Was given the lock by the one in front of it; is the front now. */
        HANDED_OFF,
        /** Gave up, or is through. */
        GONE,
        /** The one in front of it found the store unavailable. */
        FAILED
    }

    private final Line line;
    private final Object terms;
    private final Waiter waiter;

    volatile State state = State.WAITING;

    /** Set before the state says so. */
    @Nullable
    HandOff handOff;

    @Nullable
    LockStoreException failure;

    LinePlace(Line line, Object terms, Waiter waiter) {
        this.line = line;
        this.terms = terms;
        this.waiter = waiter;
    }

    /** {@return whether this thread may go to the store} */
    public boolean isFront() {
        return state == State.FRONT;
    }

    /** {@return whether it has to wait for those in front, since it may not go to the store, and has not got the lock} */
    public boolean isWaiting() {
        return state == State.WAITING;
    }

    /**
     * Looks whether the wait for those in front is over. Whoever waits is woken when it is.
     *
     * @param budget ends the wait
     * @return for how long to wait at most before the next look, in nanoseconds; 0 if it is over: then this is the front, with
     *     or without a {@linkplain #takeHandOff() hand-off}, or, if the budget is spent, {@linkplain #isOver() gone}
     * @throws LockStoreException if the one in front was refused by the store at once, or the store has failed for longer
     *     than the budget allows; the turn is over
     * @throws IllegalStateException if the client is closed; the turn is over
     */
    public long look(Budget budget) {
        if (state == State.WAITING && line.isClosed() && line.cancel(this)) {
            throw Lines.closedClient();
        }
        Failing failing = line.failing();
        long left = budget.remainingNanos(failing);
        if (state == State.WAITING && left > 0) {
            return left;
        }
        if (state == State.WAITING && line.cancel(this) && failing != null) {
            throw failing.over(line.key());
        }
        failIfRefused();
        return 0;
    }

    /** {@return whether it ended: in line, or as the front} */
    public boolean isOver() {
        return state == State.GONE || state == State.FAILED;
    }

    /**
     * Gives up waiting for those in front.
     *
     * @return whether the turn is over; if not, it has become the front, and has to act as such
     */
    public boolean cancel() {
        return line.cancel(this);
    }

    /** Who comes while the store fails fails at once, as a first try would. */
    void failIfOutage() {
        Failing failing = line.failing();
        if (failing != null && state == State.WAITING && line.cancel(this)) {
            throw new LockStoreException(
                    "Redis is unavailable: other threads of this client wait for it to recover, for lock '" + line.key()
                            + "': " + failing.failure().getMessage(),
                    failing.failure(),
                    false);
        }
    }

    private void failIfRefused() {
        LockStoreException failed = failure;
        if (state == State.FAILED && failed != null) {
            throw new LockStoreException(
                    "The thread of this client that asked for the lock first was refused: " + failed.getMessage(),
                    failed,
                    false);
        }
    }

    /** {@return the lock that was handed off to this thread, if it was; once} */
    public @Nullable HandOff takeHandOff() {
        HandOff taken = handOff;
        handOff = null;
        return taken;
    }

    /** {@return the entry that the one in front has left behind, if any; once} */
    public @Nullable QueueEntry inheritEntry() {
        return line.takeEntry(this);
    }

    /**
     * The store has answered that the lock is not for this thread yet: those behind it can say why they got nothing.
     *
     * @param holder who holds it
     */
    public void blockedBy(Optional<LockHolder> holder) {
        line.blockedBy(holder);
    }

    /** {@return who held the lock when the store was last asked by a thread of this client, if that is known} */
    public Optional<LockHolder> blockedBy() {
        return line.blockedBy();
    }

    /** {@return whether the store has answered a thread of this client since this one, or the first of its line, came} */
    public boolean isQueued() {
        return line.isAnswered();
    }

    /** {@return since when the store fails for the threads of this line, if it does} */
    public @Nullable Failing failing() {
        return line.failing();
    }

    /**
     * The front goes on waiting with that entry: what the entry hears of a failure of the store concerns all behind it.
     *
     * @param entry its entry
     */
    public void waitsWith(QueueEntry entry) {
        line.waitsWith(this, entry);
    }

    /** The store has answered the front. */
    public void answered() {
        line.answered(this);
    }

    /**
     * The front waits no longer for a store that fails. Those behind it have queued before, and wait on for as long as each
     * of them may.
     *
     * @param failing since when, and why
     */
    public void passOn(Failing failing) {
        line.passOn(this, failing);
    }

    /** {@return whether other threads wait behind this one} */
    public boolean hasFollowers() {
        return line.hasFollowers();
    }

    /**
     * Hands the lock to another thread of this client, if the next one in line asked for the same terms and may have it.
     * Then this turn is over.
     *
     * @param cohort the grant that the lock is held by
     * @param deadline until when it is certainly held without renewal, on the ticker
     * @return whether it does not belong to this thread any more
     */
    public boolean handOff(Cohort cohort, long deadline) {
        return line.handOff(this, cohort, deadline);
    }

    /**
     * Lets the next thread go to the store. Does nothing if this turn is over.
     *
     * @param entry what this thread leaves behind, or null
     * @return whether somebody has taken over the entry
     */
    public boolean pass(@Nullable QueueEntry entry) {
        return line.pass(this, entry);
    }

    /**
     * This thread found the store unavailable, so all who wait behind it would: they are told, and need not try one
     * after the other.
     *
     * @param cause what the store said
     */
    public void fail(LockStoreException cause) {
        line.fail(this, cause);
    }

    boolean wantsTheSameAs(LinePlace other) {
        return terms.equals(other.terms);
    }

    void wake() {
        waiter.wake();
    }
}
