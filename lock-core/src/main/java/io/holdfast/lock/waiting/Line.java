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
 *             │     └── pass: the entry, if there is one┘                            └─► release, pass ─► next
 *             └─ timeout, interrupt: gone
 * </pre>
 *
 * <p>Why nobody is forgotten: whenever somebody stands in line there is a front. The front changes only under the monitor,
 * and each way out of it (handOff, pass, fail) names the next one in the same step, which is woken after it. Who gives up
 * cancels under the monitor as well: either it was still in line, and leaves it, or it has been made the front, and then has
 * to act as such. A line without anybody retires in the step that finds it empty, and nobody enters a retired line.
 *
 * <p><b>Failures of the store.</b> If the first try of a line's first thread fails, all of it fails: none of them was ever
 * answered. Later they have queued, and wait through a failure for as long as each of them may: what the front's entry hears
 * of it counts for all, and a front that gives up passes it on. Who comes then fails at once.
 *
 * <p>The monitor is held for a few steps only, never during a call of the store or a wait.
 */
final class Line {

    private final Lines lines;
    private final LockKey key;
    private final Set<LinePlace> line = new LinkedHashSet<>();
    private @Nullable LinePlace front;
    private @Nullable QueueEntry entry;
    private volatile Optional<LockHolder> holder = Optional.empty();

    /** What the front waits with, and what was found by the one before it, if the store fails. */
    private volatile @Nullable QueueEntry frontEntry;

    private volatile @Nullable Failing inherited;
    private volatile boolean answered;
    private boolean retired;

    Line(Lines lines, LockKey key) {
        this.lines = lines;
        this.key = key;
    }

    /** Returns null if the line has retired meanwhile, or if somebody is there and the thread is not to wait. */
    synchronized @Nullable LinePlace enter(Object terms, boolean orNothing, Waiter waiter) {
        if (retired || (orNothing && front != null)) {
            return null;
        }
        LinePlace turn = new LinePlace(this, terms, waiter);
        if (front == null) {
            front = turn;
            turn.state = LinePlace.State.FRONT;
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
        QueueEntry waiting = frontEntry;
        Failing found = waiting == null ? null : waiting.failing();
        return found == null ? inherited : found;
    }

    /** Each of the line looks how long it may wait now: it is woken after the front's entry says that the store fails. */
    synchronized void waitsWith(LinePlace turn, QueueEntry entry) {
        if (front == turn) {
            frontEntry = entry;
            inherited = null;
            entry.whenFailing(() -> inLine().forEach(LinePlace::wake));
            if (entry.failing() != null) { // it knew before anybody could be told
                inLine().forEach(LinePlace::wake);
            }
        }
    }

    synchronized void answered(LinePlace turn) {
        if (front == turn) {
            answered = true;
            frontEntry = null;
            inherited = null;
        }
    }

    void passOn(LinePlace from, Failing failing) {
        List<LinePlace> concerned;
        synchronized (this) {
            if (front != from) {
                return;
            }
            concerned = new ArrayList<>(line);
            LinePlace next = head();
            if (next == null) {
                retire(from);
            } else {
                promote(from, next, LinePlace.State.FRONT);
                inherited = failing;
            }
        }
        concerned.forEach(LinePlace::wake);
    }

    Optional<LockHolder> blockedBy() {
        return holder;
    }

    boolean isClosed() {
        return lines.isClosed();
    }

    synchronized boolean hasFollowers() {
        return !line.isEmpty();
    }

    synchronized boolean cancel(LinePlace turn) {
        boolean wasInLine = line.remove(turn);
        if (wasInLine) {
            turn.state = LinePlace.State.GONE;
        }
        return wasInLine;
    }

    synchronized @Nullable QueueEntry takeEntry(LinePlace turn) {
        QueueEntry left = front == turn ? entry : null;
        entry = null;
        return left;
    }

    /** Returns whether the lock does not belong to the thread any more. */
    boolean handOff(LinePlace from, Cohort cohort, long deadline) {
        LinePlace next;
        synchronized (this) {
            next = front == from ? head() : null;
            long token = next != null && next.wantsTheSameAs(from) ? cohort.next() : 0;
            if (next == null || token == 0) {
                return false;
            }
            cohort.handedOff(token);
            next.handOff = new HandOff(cohort, token, deadline);
            promote(from, next, LinePlace.State.HANDED_OFF);
        }
        next.wake();
        return true;
    }

    boolean pass(LinePlace from, @Nullable QueueEntry left) {
        LinePlace next;
        synchronized (this) {
            if (front != from) {
                return false;
            }
            next = head();
            if (next == null) {
                retire(from);
                return false;
            }
            entry = left;
            promote(from, next, LinePlace.State.FRONT);
        }
        next.wake();
        return true;
    }

    void fail(LinePlace from, LockStoreException cause) {
        List<LinePlace> failed;
        synchronized (this) {
            if (front != from) {
                return;
            }
            failed = new ArrayList<>(line);
            line.clear();
            for (LinePlace turn : failed) {
                turn.failure = cause;
                turn.state = LinePlace.State.FAILED;
            }
            retire(from);
        }
        failed.forEach(LinePlace::wake);
    }

    synchronized List<LinePlace> inLine() {
        return new ArrayList<>(line);
    }

    private @Nullable LinePlace head() {
        return line.isEmpty() ? null : line.iterator().next();
    }

    private void promote(LinePlace from, LinePlace next, LinePlace.State state) {
        from.state = LinePlace.State.GONE;
        line.remove(next);
        inherited = failing();
        frontEntry = null;
        front = next;
        next.state = state;
    }

    private void retire(LinePlace last) {
        last.state = LinePlace.State.GONE;
        front = null;
        retired = true;
        lines.remove(key, this);
    }
}
