package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one client that want the same exclusive lock, in a line. One at a time, the front, goes to the store; so
 * what the store sees does not grow with the number of threads.
 *
 * <pre>
 *                     handOff: the lock itself, no call
 *                   ┌──────────────────────────────────┐
 *   enter ─► line ──┤                                  ├─► front ─► store ─► holds ─┬─► handOff ─► next in line
 *             │     └── pass: the seat, if there is one┘                            └─► release, pass ─► next
 *             └─ timeout, interrupt: gone
 * </pre>
 *
 * <p>Why nobody is forgotten: whenever somebody stands in line there is a front. The front changes only under the monitor,
 * and each way out of it (handOff, pass, fail) names the next one in the same step, which is woken after it. Who gives up
 * cancels under the monitor as well: either it was still in line, and leaves it, or it has been made the front, and then has
 * to act as such. A gate without anybody retires in the step that finds it empty, and nobody enters a retired gate.
 *
 * <p><b>Failures of the store.</b> If the first try of a line's first thread fails, all of it fails: none of them was ever
 * answered. Later they have queued, and wait through a failure for as long as each of them may: what the front's seat hears
 * of it counts for all, and a front that gives up passes it on. Who comes then fails at once.
 *
 * <p>The monitor is held for a few steps only, never during a call of the store or a wait.
 */
final class Gate {

    private final Gates gates;
    private final LockKey key;
    private final Set<Turn> line = new LinkedHashSet<>();
    private @Nullable Turn front;
    private @Nullable Seat seat;
    private volatile Optional<LockHolder> holder = Optional.empty();

    /** What the front waits with, and what was found by the one before it, if the store fails. */
    private volatile @Nullable Seat frontSeat;

    private volatile @Nullable Failing inherited;
    private volatile boolean answered;
    private boolean retired;

    Gate(Gates gates, LockKey key) {
        this.gates = gates;
        this.key = key;
    }

    /** Returns null if the gate has retired meanwhile, or if somebody is there and the thread is not to wait. */
    synchronized @Nullable Turn enter(Object terms, boolean orNothing, Waiter waiter) {
        if (retired || (orNothing && front != null)) {
            return null;
        }
        Turn turn = new Turn(this, terms, waiter);
        if (front == null) {
            front = turn;
            turn.state = Turn.State.FRONT;
        } else {
            line.add(turn);
        }
        return turn;
    }

    /** The front was told who holds the lock. */
    void blockedBy(Optional<LockHolder> found) {
        holder = found;
    }

    LockKey key() {
        return key;
    }

    boolean isAnswered() {
        return answered;
    }

    @Nullable
    Failing failing() {
        Seat waiting = frontSeat;
        Failing found = waiting == null ? null : waiting.failing();
        return found == null ? inherited : found;
    }

    /** Each of the line looks how long it may wait now: it is woken after the front's seat says that the store fails. */
    synchronized void waitsWith(Turn turn, Seat seat) {
        if (front == turn) {
            frontSeat = seat;
            inherited = null;
            seat.whenFailing(() -> inLine().forEach(Turn::wake));
            if (seat.failing() != null) { // it knew before anybody could be told
                inLine().forEach(Turn::wake);
            }
        }
    }

    synchronized void answered(Turn turn) {
        if (front == turn) {
            answered = true;
            frontSeat = null;
            inherited = null;
        }
    }

    void passOn(Turn from, Failing failing) {
        List<Turn> concerned;
        synchronized (this) {
            if (front != from) {
                return;
            }
            concerned = new ArrayList<>(line);
            Turn next = head();
            if (next == null) {
                retire(from);
            } else {
                promote(from, next, Turn.State.FRONT);
                inherited = failing;
            }
        }
        concerned.forEach(Turn::wake);
    }

    Optional<LockHolder> blockedBy() {
        return holder;
    }

    boolean isClosed() {
        return gates.isClosed();
    }

    synchronized boolean hasFollowers() {
        return !line.isEmpty();
    }

    synchronized boolean cancel(Turn turn) {
        boolean wasInLine = line.remove(turn);
        if (wasInLine) {
            turn.state = Turn.State.GONE;
        }
        return wasInLine;
    }

    synchronized @Nullable Seat takeSeat(Turn turn) {
        Seat left = front == turn ? seat : null;
        seat = null;
        return left;
    }

    /** Returns whether the lock does not belong to the thread any more. */
    boolean handOff(Turn from, Cohort cohort, long deadline) {
        Turn next;
        synchronized (this) {
            next = front == from ? head() : null;
            long token = next != null && next.wantsTheSameAs(from) ? cohort.next() : 0;
            if (next == null || token == 0) {
                return false;
            }
            cohort.handedOff(token);
            next.handOff = new HandOff(cohort, token, deadline);
            promote(from, next, Turn.State.HANDED_OFF);
        }
        next.wake();
        return true;
    }

    boolean pass(Turn from, @Nullable Seat left) {
        Turn next;
        synchronized (this) {
            if (front != from) {
                return false;
            }
            next = head();
            if (next == null) {
                retire(from);
                return false;
            }
            seat = left;
            promote(from, next, Turn.State.FRONT);
        }
        next.wake();
        return true;
    }

    void fail(Turn from, LockStoreException cause) {
        List<Turn> failed;
        synchronized (this) {
            if (front != from) {
                return;
            }
            failed = new ArrayList<>(line);
            line.clear();
            for (Turn turn : failed) {
                turn.failure = cause;
                turn.state = Turn.State.FAILED;
            }
            retire(from);
        }
        failed.forEach(Turn::wake);
    }

    synchronized List<Turn> inLine() {
        return new ArrayList<>(line);
    }

    private @Nullable Turn head() {
        return line.isEmpty() ? null : line.iterator().next();
    }

    private void promote(Turn from, Turn next, Turn.State state) {
        from.state = Turn.State.GONE;
        line.remove(next);
        inherited = failing();
        frontSeat = null;
        front = next;
        next.state = state;
    }

    private void retire(Turn last) {
        last.state = Turn.State.GONE;
        front = null;
        retired = true;
        gates.remove(key, this);
    }
}
