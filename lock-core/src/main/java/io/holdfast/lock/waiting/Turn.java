package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStoreException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One caller's place at a {@link Gate}, from when it comes until it has given the lock back. Its state is written under
 * the gate's monitor, and read without it by whoever waits.
 */
final class Turn {

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

    private final Gate gate;
    private final Object terms;
    private final Waiter waiter;

    volatile State state = State.WAITING;

    /** Set before the state says so. */
    @Nullable
    HandOff handOff;

    @Nullable
    LockStoreException failure;

    Turn(Gate gate, Object terms, Waiter waiter) {
        this.gate = gate;
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
        if (state == State.WAITING && gate.isClosed() && gate.cancel(this)) {
            throw Gates.closedClient();
        }
        Failing failing = gate.failing();
        long left = budget.remainingNanos(failing);
        if (state == State.WAITING && left > 0) {
            return left;
        }
        if (state == State.WAITING && gate.cancel(this) && failing != null) {
            throw failing.over(gate.key());
        }
        failIfRefused();
        return 0;
    }

    /** {@return whether it ended in line, since its budget was spent} */
    public boolean isOver() {
        return state == State.GONE;
    }

    /**
     * Gives up waiting for those in front.
     *
     * @return whether the turn is over; if not, it has become the front, and has to act as such
     */
    public boolean cancel() {
        return gate.cancel(this);
    }

    /** Who comes while the store fails fails at once, as a first try would. */
    void failIfOutage() {
        Failing failing = gate.failing();
        if (failing != null && state == State.WAITING && gate.cancel(this)) {
            throw new LockStoreException(
                    "Redis is unavailable: other threads of this client wait for it to recover, for lock '" + gate.key()
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

    /** {@return the seat that the one in front has left behind, if any; once} */
    public @Nullable Seat inheritSeat() {
        return gate.takeSeat(this);
    }

    /**
     * The store has answered that the lock is not for this thread yet: those behind it can say why they got nothing.
     *
     * @param holder who holds it
     */
    public void blockedBy(Optional<LockHolder> holder) {
        gate.blockedBy(holder);
    }

    /** {@return who held the lock when the store was last asked by a thread of this client, if that is known} */
    public Optional<LockHolder> blockedBy() {
        return gate.blockedBy();
    }

    /** {@return whether the store has answered a thread of this client since this one, or the first of its line, came} */
    public boolean isQueued() {
        return gate.isAnswered();
    }

    /** {@return since when the store fails for the threads of this line, if it does} */
    public @Nullable Failing failing() {
        return gate.failing();
    }

    /**
     * The front goes on waiting with that seat: what the seat hears of a failure of the store concerns all behind it.
     *
     * @param seat its seat
     */
    public void waitsWith(Seat seat) {
        gate.waitsWith(this, seat);
    }

    /** The store has answered the front. */
    public void answered() {
        gate.answered(this);
    }

    /**
     * The front waits no longer for a store that fails. Those behind it have queued before, and wait on for as long as each
     * of them may.
     *
     * @param failing since when, and why
     */
    public void passOn(Failing failing) {
        gate.passOn(this, failing);
    }

    /** {@return whether other threads wait behind this one} */
    public boolean hasFollowers() {
        return gate.hasFollowers();
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
        return gate.handOff(this, cohort, deadline);
    }

    /**
     * Lets the next thread go to the store. Does nothing if this turn is over.
     *
     * @param seat what this thread leaves behind, or null
     * @return whether somebody has taken over the seat
     */
    public boolean pass(@Nullable Seat seat) {
        return gate.pass(this, seat);
    }

    /**
     * This thread found the store unavailable, so all who wait behind it would: they are told, and need not try one
     * after the other.
     *
     * @param cause what the store said
     */
    public void fail(LockStoreException cause) {
        gate.fail(this, cause);
    }

    boolean wantsTheSameAs(Turn other) {
        return terms.equals(other.terms);
    }

    void wake() {
        waiter.wake();
    }
}
