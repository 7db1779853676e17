package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStoreException;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One thread's place at a {@link Gate}, from when it comes until it has given the lock back. Its state is written under
 * the gate's monitor, and read without it by the thread that waits.
 */
public final class Turn {

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
    private final Thread thread = Thread.currentThread();

    volatile State state = State.WAITING;

    /** Set before the state says so. */
    @Nullable
    HandOff handOff;

    @Nullable
    LockStoreException failure;

    Turn(Gate gate, Object terms) {
        this.gate = gate;
        this.terms = terms;
    }

    /** What came of a wait. */
    public enum Outcome {
        /** It is this thread that asks the store now. */
        FRONT,
        /** The lock was handed off, see {@link Turn#takeHandOff()}. */
        HANDED_OFF,
        /** The budget is spent. The turn is over. */
        TIMED_OUT
    }

    /** {@return whether this thread may go to the store} */
    public boolean isFront() {
        return state == State.FRONT;
    }

    /** {@return whether this thread has to {@link #await}, since it may not go to the store, and has not got the lock} */
    public boolean isWaiting() {
        return state == State.WAITING;
    }

    /**
     * Waits for those in front.
     *
     * @param budget ends the wait
     * @param pause how time passes
     * @param interruptible whether an interrupt ends the wait; if not, or if it comes too late, it is kept
     * @return what came of it
     * @throws InterruptedException if interrupted, and {@code interruptible}; the turn is over
     * @throws LockStoreException if the one in front was refused by the store at once, or the store has failed for longer
     *     than the budget allows; the turn is over
     * @throws IllegalStateException if the client is closed; the turn is over
     */
    public Outcome await(Budget budget, Pause pause, boolean interruptible) throws InterruptedException {
        boolean interrupted = false;
        try {
            while (!isServed()) {
                if (gate.isClosed() && gate.cancel(this)) {
                    throw Gates.closedClient();
                }
                Failing failing = gate.failing();
                long left = budget.remainingNanos(failing);
                if (left == 0 && gate.cancel(this)) {
                    if (failing != null) {
                        throw failing.over(gate.key());
                    }
                    return Outcome.TIMED_OUT;
                }
                try {
                    interrupted |= pause.pause(left, interruptible);
                } catch (InterruptedException e) {
                    if (gate.cancel(this)) {
                        throw e;
                    }
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        failIfRefused();
        return state == State.HANDED_OFF ? Outcome.HANDED_OFF : Outcome.FRONT;
    }

    private boolean isServed() {
        if (state == State.WAITING) {
            gate.look(this);
        }
        return state != State.WAITING;
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
     * @param brief whether the lock was held for less time than it takes to wake a thread
     * @return whether it does not belong to this thread any more
     */
    public boolean handOff(Cohort cohort, long deadline, boolean brief) {
        return gate.handOff(this, cohort, deadline, brief);
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
        LockSupport.unpark(thread);
    }
}
