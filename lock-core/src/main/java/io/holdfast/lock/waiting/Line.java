package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one client that want the same exclusive lock, in a line. Only one of them, the front, calls the store, so the
 * load of the store does not grow with the number of threads.
 *
 * <pre>
 *                     handOff: the lock itself, no call
 *                   ┌──────────────────────────────────┐
 *   enter ─► line ──┤                                  ├─► front ─► store ─► holds ─┬─► handOff ─► next in line
 *             │     └── pass: the entry, if there is one┘                            └─► release, pass ─► next
 *             └─ timeout, interrupt: gone
 * </pre>
 *
 * <p><b>Exactly one successor is let in.</b> As long as callers are in line there is a front. Each way out of the front (handOff,
 * pass, passOn, fail) checks under the monitor that this member is still the front, and {@link #advance} names the next one in
 * the same step; the next one is woken after it. A caller that gives up cancels under the monitor as well: either it was still in
 * line, and leaves it, or it has become the front, and then has to act as such. An empty line retires in the step that finds it
 * empty, and no caller enters a retired line.
 *
 * <p><b>Failures of the store.</b> If the first attempt of a line's first thread fails, the whole line fails: none of its callers was
 * ever answered. Later they have queued, and wait through a failure as long as each of them may: what the front's entry learns of it
 * counts for all, and a front that gives up passes it on. A caller that arrives during a failure fails immediately.
 *
 * <p>The monitor is held for a few steps only, never during a call of the store or a wait.
 */
final class Line {

    private final LockKey key;
    private final Consumer<Line> onRetired;
    private final BooleanSupplier closed;
    private final Set<Member> line = new LinkedHashSet<>();
    private @Nullable Member front;
    private @Nullable QueueEntry entry;
    private final StoreNews news = new StoreNews();
    private boolean retired;

    /**
     * @param onRetired is called when the line is empty, under the monitor
     * @param closed whether the client is closed
     */
    Line(LockKey key, Consumer<Line> onRetired, BooleanSupplier closed) {
        this.key = key;
        this.onRetired = onRetired;
        this.closed = closed;
    }

    private enum State {
        /** Others are in front. */
        WAITING,
        /** Calls the store, waits there, or holds the lock. */
        FRONT,
        /** Received the lock from the former front; is the front now. */
        HANDED_OFF,
        /** Gave up, or is done. */
        GONE,
        /** The front found the store unavailable. */
        FAILED
    }

    /** Returns null if the line has retired in the meantime, or if it is not empty and the thread must not wait. */
    synchronized @Nullable Member enter(@Nullable Object terms, boolean orNothing, Runnable waiter) {
        if (retired || (orNothing && front != null)) {
            return null;
        }
        Member member = new Member(terms, waiter);
        if (front == null) {
            front = member;
            member.state = State.FRONT;
        } else {
            line.add(member);
        }
        return member;
    }

    /** The only member of a line that no one else enters, for locks whose order is kept by the store. */
    static Member alone(LockKey key) {
        Line line = new Line(key, retired -> {}, () -> false);
        return Objects.requireNonNull(line.enter(null, false, () -> {}));
    }

    private synchronized List<Member> inLine() {
        return new ArrayList<>(line);
    }

    void wakeAll() {
        inLine().forEach(Member::wake);
    }

    private @Nullable Member head() {
        return line.isEmpty() ? null : line.iterator().next();
    }

    /**
     * The only way out of the front: makes the next one in line the front, and returns it, to be woken; without a next one the line
     * retires.
     */
    private @Nullable Member advance(State state) {
        Objects.requireNonNull(front).state = State.GONE;
        Member next = head();
        front = next;
        if (next == null) {
            retired = true;
            onRetired.accept(this);
        } else {
            line.remove(next);
            news.frontChanged();
            next.state = state;
        }
        return next;
    }

    /**
     * One caller, from its arrival until it has released the lock. Its state is written under the line's monitor, and read
     * without it by waiting threads.
     */
    final class Member {

        private final @Nullable Object terms;
        private final Runnable waiter;
        private volatile State state = State.WAITING;

        /** Of the lock that was handed off to it; set before the state, like the failure. */
        private @Nullable Cohort handedOff;

        private @Nullable LockStoreException failure;

        private Member(@Nullable Object terms, Runnable waiter) {
            this.terms = terms;
            this.waiter = waiter;
        }

        /** Whether no one else enters its line. */
        boolean isAlone() {
            return terms == null;
        }

        boolean isFront() {
            return state == State.FRONT;
        }

        boolean isWaiting() {
            return state == State.WAITING;
        }

        /** Whether it has ended, in line or as the front. */
        boolean isOver() {
            return state == State.GONE || state == State.FAILED;
        }

        /**
         * Checks whether the wait for the front is over. The waiter is run when it is.
         *
         * @param budget ends the wait
         * @return for how long to wait at most before the next check, in nanoseconds; 0 if it is over: then this is the front,
         *     with or without a {@linkplain #takeHandOff() hand-off}, or, if the budget is spent, {@linkplain #isOver() gone}
         * @throws LockStoreException if the first attempt of the front failed, or the store has failed for longer than the
         *     budget allows; it is over then
         * @throws IllegalStateException if the client is closed; it is over then
         */
        long look(Budget budget) {
            if (isWaiting()) {
                long left = lookInLine(budget);
                if (left > 0 && isWaiting()) {
                    return left;
                }
            }
            failIfRefused();
            return 0;
        }

        private long lookInLine(Budget budget) {
            if (closed.getAsBoolean() && cancel()) {
                throw ClosedClient.exception();
            }
            Failing failing = news.failing();
            long left = budget.remainingNanos(failing);
            if (left == 0 && cancel() && failing != null) {
                throw failing.over(key);
            }
            return left;
        }

        private void failIfRefused() {
            LockStoreException failed = failure;
            if (state == State.FAILED && failed != null) {
                throw new LockStoreException(
                        "The first waiting thread of this client failed to acquire the lock: " + failed.getMessage(),
                        failed,
                        false);
            }
        }

        /**
         * Stops waiting in line.
         *
         * @return whether it is over; if not, it has become the front, and must act as such
         */
        boolean cancel() {
            synchronized (Line.this) {
                if (isAlone()) {
                    return true;
                }
                boolean wasInLine = line.remove(this);
                if (wasInLine) {
                    state = State.GONE;
                }
                return wasInLine;
            }
        }

        /** The grant of the lock that was handed off to it, if any; once. */
        @Nullable
        Cohort takeHandOff() {
            Cohort taken = handedOff;
            handedOff = null;
            return taken;
        }

        /** The entry that the former front has left behind, if any; once. */
        @Nullable
        QueueEntry inheritEntry() {
            synchronized (Line.this) {
                QueueEntry left = front == this ? entry : null;
                entry = null;
                return left;
            }
        }

        /** What the line knows of the store. */
        StoreNews news() {
            return news;
        }

        boolean hasFollowers() {
            synchronized (Line.this) {
                return !line.isEmpty();
            }
        }

        /** A failure of the store that the entry learns of concerns all callers in line: each is woken, and checks how long it may wait. */
        void waitsWith(QueueEntry waiting) {
            synchronized (Line.this) {
                if (front == this) {
                    news.waitsWith(waiting, Line.this::wakeAll);
                }
            }
        }

        /** The store has answered the front. */
        void answered() {
            synchronized (Line.this) {
                if (front == this) {
                    news.answered();
                }
            }
        }

        /**
         * The front stops waiting for a failing store. The callers behind it have queued before, and continue to wait for as long
         * as each may.
         */
        void passOn(Failing failing) {
            List<Member> concerned;
            synchronized (Line.this) {
                if (front != this) {
                    return;
                }
                concerned = inLine();
                advance(State.FRONT);
                news.passOn(failing);
            }
            concerned.forEach(Member::wake);
        }

        /** Hands the lock to the next one, see {@link Place#handOff}. */
        boolean handOff(Cohort cohort, long deadline) {
            Member next;
            synchronized (Line.this) {
                next = front == this ? head() : null;
                long token = next != null && Objects.equals(next.terms, terms) ? cohort.next() : 0;
                if (next == null || token == 0) {
                    return false;
                }
                cohort.handedOff(token, deadline);
                next.handedOff = cohort;
                advance(State.HANDED_OFF);
            }
            next.wake();
            return true;
        }

        /**
         * Lets the next one call the store. Does nothing if this one is over.
         *
         * @param left the entry that it leaves behind, or null
         * @return whether a caller has taken over the entry
         */
        boolean pass(@Nullable QueueEntry left) {
            Member next;
            synchronized (Line.this) {
                if (front != this) {
                    return false;
                }
                entry = left;
                next = advance(State.FRONT);
            }
            if (next != null) {
                next.wake();
            }
            return next != null;
        }

        /** The store has refused: the callers behind would be refused too, so they fail, and do not try one after the other. */
        void fail(LockStoreException cause) {
            List<Member> failed;
            synchronized (Line.this) {
                if (front != this) {
                    return;
                }
                failed = inLine();
                line.clear();
                for (Member each : failed) {
                    each.failure = cause;
                    each.state = State.FAILED;
                }
                advance(State.FRONT);
            }
            failed.forEach(Member::wake);
        }

        private void wake() {
            waiter.run();
        }
    }
}
