package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.Cohort;
import io.holdfast.lock.waiting.Seat;
import io.holdfast.lock.waiting.Turn;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition at the store, from the first try to a grant or to nothing.
 *
 * <p>All tries share one owner id. Between two tries it waits on its {@link Seat}. Whatever ends the acquisition without a
 * grant leaves nothing behind: if every try was answered, the seat is left to the next thread at the gate, or given up; if
 * the outcome of a try is unknown, the acquisition is undone and buried, and its owner id is never sent again.
 *
 * <p>The budget is one: when it ends between two tries the lock is asked for a last time, as somebody who does not wait,
 * so the store forgets the waiter in the same step, unless somebody behind it goes on waiting in its place. When it ends
 * during a try, that was the last one.
 *
 * <p>A grant whose answer came after its own deadline is no grant: it is undone, and the acquisition starts over, with
 * another owner id, within the same budget. The deadline counts from before that very try was sent.
 */
final class Acquisition {

    /** What came of it. */
    sealed interface Result {

        /**
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
                boolean resent)
                implements Result {}

        record Refused(Optional<LockHolder> holder) implements Result {}
    }

    /** What must be left of a grant that the store gave by a message, and has not confirmed, for somebody to use it. */
    static final long SHORTEST_UNCONFIRMED_NANOS = LockStore.RESERVATION.toNanos() / 3;

    private final Client client;
    private final LockKey key;
    private final Terms terms;
    private final HolderInfo holder;
    private final @Nullable Turn turn;
    private final boolean interruptible;
    private final Waits.Wait wait;

    private Seat seat;
    private long sentAt;
    private boolean seated;

    /**
     * @param turn this thread's turn at the gate, as its front; null if it passes no gate
     * @param wait is told when this thread has to wait
     */
    Acquisition(Client client, Call call, HolderInfo holder, @Nullable Turn turn, Waits.Wait wait) {
        this.client = client;
        this.key = call.key();
        this.terms = call.terms();
        this.holder = holder;
        this.turn = turn;
        this.interruptible = call.interruptible();
        this.wait = wait;
        Seat inherited = turn == null ? null : turn.inheritSeat();
        this.seated = inherited != null;
        this.seat = inherited == null ? client.openSeat(key) : inherited;
    }

    /**
     * Goes on until the lock is granted or the budget is spent. After a grant the caller has to {@link #end} it; without
     * one, the turn is over.
     */
    Result run(Budget budget) throws InterruptedException {
        boolean through = false;
        try {
            Result result = askUntilSettled(budget);
            through = true;
            return result;
        } catch (InterruptedException e) {
            through = true;
            giveUp();
            throw e;
        } catch (LockStoreException e) {
            through = true;
            fail(e);
            throw e;
        } finally {
            if (!through) {
                undo();
                pass(null);
            }
        }
    }

    private void fail(LockStoreException e) throws InterruptedException {
        if (e.outcomeUnknown()) {
            undo();
        } else {
            dropSeat();
        }
        if (interruptible && Thread.interrupted()) {
            pass(null);
            throw interrupted(e);
        }
        if (turn != null) {
            turn.fail(e);
        }
    }

    private Result askUntilSettled(Budget budget) throws InterruptedException {
        while (true) {
            if (interruptible && Thread.interrupted()) {
                throw new InterruptedException();
            }
            boolean last = budget.remainingNanos() == 0;
            AcquireReply reply = ask(!last || (turn != null && turn.hasFollowers()));
            if (reply instanceof AcquireReply.Held held) {
                if (turn != null) {
                    turn.blockedBy(held.holder());
                }
                if (last || budget.remainingNanos() == 0) {
                    giveUp();
                    return new Result.Refused(held.holder());
                }
                client.seats().taken(seat, sentAt, held);
                wait.begin();
                seat.await(budget, client.pause(), interruptible);
                Result claimed = claim();
                if (claimed != null) {
                    return claimed;
                }
            } else if (reply instanceof AcquireReply.Granted granted
                    && client.ticker().nanos() - deadline() < 0) {
                return granted(granted);
            } else {
                undo();
                if (budget.remainingNanos() == 0) {
                    pass(null);
                    return new Result.Refused(Optional.empty());
                }
                seat = client.openSeat(key);
            }
        }
    }

    /** The hold is known: from now on it hears for itself. */
    void end() {
        client.seats().giveUp(seat);
    }

    private Result granted(AcquireReply.Granted granted) {
        return new Result.Granted(
                seat.owner(),
                granted.token(),
                granted.tokens(),
                granted.waiters(),
                sentAt,
                deadline(),
                true,
                seat.isResent());
    }

    /**
     * The lock that a message has granted, if there is one. It is used as it is: that saves the round trip of a claim, and
     * the watchdog confirms it if it is held for long enough. But not for a lease that is not to be renewed, nor for one
     * that will end soon.
     */
    private @Nullable Result claim() {
        Seat.Claim claim = terms.renew() && terms.minHoldNanos() == 0 ? seat.claim() : null;
        long now = client.ticker().nanos();
        if (claim == null || claim.deadline() - now < SHORTEST_UNCONFIRMED_NANOS) {
            return null;
        }
        Reservation granted = claim.reservation();
        return new Result.Granted(
                seat.owner(),
                granted.token(),
                granted.tokens(),
                granted.waiters(),
                now,
                claim.deadline(),
                false,
                seat.isResent());
    }

    private AcquireReply ask(boolean waiting) {
        boolean mayHandOff = turn != null && turn.hasFollowers();
        long tokens = mayHandOff ? Cohort.tokens(leaseMillis()) : 1;
        var request = new AcquireRequest(
                key, seat.owner(), leaseMillis(), holder, terms.limit(), terms.fair(), waiting, tokens);
        seat.rearm();
        seated |= waiting;
        sentAt = client.ticker().nanos();
        int[] sends = {0};
        AcquireReply reply = interruptible
                ? client.store().acquire(request)
                : Shielded.call(() -> {
                    sends[0]++;
                    return client.store().acquire(request);
                });
        seated = waiting;
        if (sends[0] > 1 || isResent(reply)) {
            seat.markResent();
        }
        return reply;
    }

    private static boolean isResent(AcquireReply reply) {
        return (reply instanceof AcquireReply.Granted granted && granted.resent())
                || (reply instanceof AcquireReply.Held held && held.resent());
    }

    /** Every try was answered: the seat is good for the next thread. */
    private void giveUp() {
        if (seat.isResent() || !pass(seat)) {
            dropSeat();
            pass(null);
        }
    }

    private boolean pass(@Nullable Seat left) {
        return turn != null && turn.pass(left);
    }

    /** If a send of its calls was not answered, it may still arrive, so the acquisition is buried as well. */
    private void dropSeat() {
        if (seat.isResent()) {
            undo();
        } else {
            client.seats().giveUp(seat);
            if (seated) {
                client.cleanup().leave(key, seat.owner());
            }
        }
    }

    private void undo() {
        client.seats().giveUp(seat);
        client.cleanup().undo(key, seat.owner(), terms.lease().leaseNanos());
    }

    /** The driver gave up its answer because the thread was interrupted. */
    private static InterruptedException interrupted(LockStoreException failure) {
        var interrupt = new InterruptedException("Interrupted while Redis was asked");
        interrupt.initCause(failure);
        return interrupt;
    }

    private long leaseMillis() {
        return TimeUnit.NANOSECONDS.toMillis(terms.lease().leaseNanos());
    }

    private long deadline() {
        return sentAt + terms.lease().leaseNanos();
    }
}
