package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The place where the callers of one client wait for locks. Those that want the same exclusive lock form a line. Only one of them, the
 * front, calls the store, so the load on the store does not grow with the number of callers. In addition to the lines, there are the {@link
 * EntryKeeper entries} in the queues at the store, and the callers that wait for a failing store to recover, see {@link Outages}.
 *
 * <pre>
 *                     handOff: the lock itself, no call
 *                   ┌──────────────────────────────────┐
 *   enter ─► line ──┤                                  ├─► front ─► store ─► holds ─┬─► handOff ─► next in line
 *             │     └── leave: the entry, if any ──────┘                            └─► release, leave ─► next
 *             └─ timeout, interrupt: gone
 * </pre>
 *
 * <p><b>Exactly one successor is let in.</b> As long as callers are in line, there is a front. Each way out of the front
 * (handOff, leave, fail) checks under the monitor of the line that this place is still the front, and
 * {@link Line#advance} determines the next one in the same step; the next one is woken after that. So if a place is ended
 * several times, only the first time counts. A caller that gives up cancels under the monitor as well: either it was still in
 * line, and leaves it, or it has become the front, and then has to act as such. An empty line retires in the step that finds
 * it empty, and no caller enters a retired line.
 *
 * <p><b>Failures of the store.</b> If the first attempt of a line's first caller fails, the whole line fails, because none of
 * its callers has ever had a reply. Once the store has replied, the callers are queued, and each waits out a failure for as
 * long as it may: a failure that is recorded in the entry of the front counts for all of them, and for the entry of the next
 * front. A caller that arrives during a failure fails immediately.
 *
 * <p>Thread-safe. A monitor is held for a few steps only, never during a call to the store or a wait. No other monitor is entered
 * inside that of a line, so {@link EntryKeeper} may count the followers of its entries inside its own.
 */
public final class LocalQueue implements AutoCloseable {

    private final LongSupplier sequences;
    private final Ticker ticker;

    /** The entries in the queues at the store. */
    public final EntryKeeper entries;

    /** The callers that wait for a failing store to recover. */
    public final Outages outages;

    final Map<LockKey, Line> lines = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * Creates an instance.
     *
     * @param entries keeps the entries of its client at the store; closed together with this queue
     * @param sequences supplies the numbers of the client's acquisitions
     * @param ticker the clock
     */
    public LocalQueue(EntryKeeper entries, LongSupplier sequences, Ticker ticker) {
        this.entries = entries;
        this.sequences = sequences;
        this.ticker = ticker;
        this.outages = new Outages(ticker);
    }

    /**
     * Lets a caller in, behind earlier callers if it has to wait in line.
     *
     * @param key the lock that it wants
     * @param terms its terms: the lock is handed off only between callers with equal terms. Null if the store keeps the
     *     order of the callers, so that this one does not join a line
     * @param waiter run when the caller should {@linkplain Place#look check} whether it can continue; by any thread, and
     *     possibly more often than necessary. Must not block or throw
     * @return its place
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if the front knows that the store is failing
     */
    public Place enter(LockKey key, @Nullable Object terms, Runnable waiter) {
        Place place;
        do {
            place = line(key, terms).enter(terms, false, waiter);
        } while (place == null);
        if (terms != null && closed && place.isFront()) {
            place.leave();
            throw QueueEntry.closedClient();
        }
        place.failInOutage();
        return place;
    }

    /**
     * Lets a caller in if the line is empty.
     *
     * @param key as in {@link #enter}
     * @param terms as in {@link #enter}
     * @param waiter as in {@link #enter}
     * @return its place, at the front, or null
     */
    public @Nullable Place tryEnter(LockKey key, @Nullable Object terms, Runnable waiter) {
        return line(key, terms).enter(terms, true, waiter);
    }

    /** The line of a key; if the store keeps the order, a new line that no other caller enters. */
    private Line line(LockKey key, @Nullable Object terms) {
        Line known = terms == null ? new Line(key) : lines.get(key);
        return known != null ? known : lines.computeIfAbsent(key, Line::new);
    }

    /** Wakes all waiting callers, which then find the client closed. */
    @Override
    public void close() {
        closed = true;
        lines.values().forEach(line -> line.inLine().forEach(place -> place.waiter.run()));
        entries.close();
    }

    /** Guarded by its monitor; volatile fields are read without it. */
    final class Line {

        private final LockKey key;
        private final Set<Place> waiting = new LinkedHashSet<>();
        private @Nullable Place front;
        private boolean retired;

        /** The last known holder: the front, once it has the lock; before that, the one that the store last reported to it. */
        private volatile Supplier<Optional<LockHolder>> holder = Optional::empty;

        /** How many entries were in the queue at the store when it last refused the front, with that of the front. */
        private volatile int queued;

        /** Whether the store has replied to any caller of the line. */
        private volatile boolean answered;

        /**
         * The entry with which the front calls the store; null while the front holds the lock. Only the front writes this
         * field. The entry stays when the front leaves, so that the next front knows whether the store is failing; unless the
         * entry was given up, the next front continues to use it.
         */
        private volatile @Nullable QueueEntry entry;

        Line(LockKey key) {
            this.key = key;
        }

        /** Returns null if the line has retired in the meantime, or if it is not empty and the caller must not wait. */
        synchronized @Nullable Place enter(@Nullable Object terms, boolean orNothing, Runnable waiter) {
            if (retired || (orNothing && front != null)) {
                return null;
            }
            Place place = new Place(this, terms, waiter);
            if (front == null) {
                front = place;
                place.state = State.FRONT;
            } else {
                waiting.add(place);
                int ahead = entry == null ? 0 : Math.max(1, queued); // the front is ahead, unless it holds the lock
                place.number = ahead + waiting.size();
            }
            return place;
        }

        synchronized List<Place> inLine() {
            return new ArrayList<>(waiting);
        }

        @Nullable
        Place head() {
            return waiting.isEmpty() ? null : waiting.iterator().next();
        }

        /** The failure of the store, as far as the line knows; null if there is none. */
        @Nullable
        Failing failing() {
            QueueEntry shown = entry;
            return shown == null ? null : shown.failing();
        }

        /**
         * The only way to leave the front: makes the next caller in line the front, and returns its place, to be woken; if there
         * is none, the line retires.
         */
        @Nullable
        Place advance(State state) {
            Objects.requireNonNull(front).state = State.GONE;
            Place next = head();
            front = next;
            if (next == null) {
                retired = true;
                lines.remove(key, this);
            } else {
                waiting.remove(next);
                next.state = state;
            }
            return next;
        }
    }

    private enum State {
        /** Behind other callers. */
        WAITING,
        /** Calls the store, waits there, or holds the lock. */
        FRONT,
        /** Received the lock from the former front; is the front now. */
        HANDED_OFF,
        /** Gave up, finished, or failed together with the front. */
        GONE
    }

    /**
     * One caller's place, from its request for a lock until it has released the lock or given up. Used by one thread at a time;
     * once it holds the lock, any thread may call {@link #handOff} and {@link #leave}. Its state is written under the line's
     * monitor, and read without it by waiting callers.
     */
    public final class Place {

        private final Line line;
        private final @Nullable Object terms;
        private final Runnable waiter;
        private final long since = ticker.nanos();
        private volatile State state = State.WAITING;

        /** Set before it waits. */
        private int number;

        /** The grant that it may hand off; null if it has no lock, or one that is not handed off. */
        private @Nullable Cohort cohort;

        /** The failure of the front, which found the store unavailable. Set before the state. */
        private @Nullable LockStoreException failure;

        private Place(Line line, @Nullable Object terms, Runnable waiter) {
            this.line = line;
            this.terms = terms;
            this.waiter = waiter;
        }

        // In line.

        boolean isFront() {
            return state == State.FRONT;
        }

        /** {@return whether others are ahead of it, so that it may not call the store, and does not have the lock} */
        public boolean isInLine() {
            return state == State.WAITING;
        }

        /** {@return whether it has ended, in line or as the front} */
        public boolean isOver() {
            return state == State.GONE;
        }

        /** A caller that arrives while the store is failing fails immediately, as a first attempt would. */
        private void failInOutage() {
            Failing failing = isInLine() ? line.failing() : null;
            if (failing != null && cancel()) {
                throw new LockStoreException(
                        "Redis is unavailable; other threads of this client are already waiting for lock '" + line.key
                                + "' and for Redis to recover: "
                                + failing.failure().getMessage(),
                        failing.failure(),
                        false);
            }
        }

        /**
         * Checks whether the wait in line is over. The waiter is run when it may be.
         *
         * @param budget ends the wait
         * @return the maximum time to wait before the next check, in nanoseconds; 0 if it is over: then this is the front,
         *     with or without a {@linkplain #takeHandoff() handoff}, or, if the budget is spent, {@linkplain #isOver() gone}
         * @throws LockStoreException if the first attempt of the front failed, or the store has been failing for longer than
         *     the budget allows; the wait is then over
         * @throws IllegalStateException if the client is closed; the wait is then over
         */
        public long look(Budget budget) {
            if (isInLine()) {
                if (closed && cancel()) {
                    throw QueueEntry.closedClient();
                }
                Failing failing = line.failing();
                long left = budget.remainingNanos(failing);
                if (left == 0 && cancel() && failing != null) {
                    throw failing.over(line.key);
                }
                if (left > 0 && isInLine()) {
                    return left;
                }
            }
            LockStoreException cause = failure;
            if (cause != null) {
                throw new LockStoreException(
                        "The first waiting thread of this client failed to acquire the lock: " + cause.getMessage(),
                        cause,
                        false);
            }
            return 0;
        }

        /**
         * Stops waiting in line.
         *
         * @return whether its place is over; if not, it has become the front, and must act as such
         */
        public boolean cancel() {
            if (terms == null) {
                return true;
            }
            synchronized (line) {
                boolean wasInLine = line.waiting.remove(this);
                if (wasInLine) {
                    state = State.GONE;
                }
                return wasInLine;
            }
        }

        /**
         * {@return the lock that was handed off to it, for which the caller must now open a hold, or which it must give
         * back; null if there is none, or it was returned before}
         */
        public QueueEntry.@Nullable Grant takeHandoff() {
            if (state != State.HANDED_OFF) {
                return null;
            }
            synchronized (line) {
                state = State.FRONT;
            }
            return Objects.requireNonNull(cohort).handoffGrant();
        }

        /** {@return its place in line when it began to wait, see {@link LockEvent.NotAcquired#placeInLine}} */
        public int number() {
            return number;
        }

        /** {@return the last known holder of the lock} */
        public Supplier<Optional<LockHolder>> holder() {
            return line.holder;
        }

        // At the front.

        /** {@return whether other callers of this client are in line behind it} */
        public boolean hasFollowers() {
            synchronized (line) {
                return !line.waiting.isEmpty();
            }
        }

        /** {@return the callers of this client in line behind the front, and how long the first of them has waited, or the front itself} */
        public Followers followers() {
            synchronized (line) {
                Place first = line.entry == null ? line.head() : line.front;
                return first == null
                        ? Followers.NONE
                        : new Followers(line.waiting.size(), Duration.ofNanos(ticker.nanos() - first.since));
            }
        }

        /**
         * {@return the entry of the front: that of the former front, unless that was given up; otherwise a new one, which knows of
         * the same failure of the store} A failure that the entry learns of concerns all callers in line: each is woken, and checks
         * how long it may wait.
         *
         * @throws IllegalStateException if the client is closed
         */
        public QueueEntry entry() {
            QueueEntry known = line.entry;
            if (known != null && !known.givenUp) {
                return known;
            }
            QueueEntry opened = entries.open(line.key, new OwnerId(entries.clientId, sequences.getAsLong()));
            opened.whenFailing = () -> line.inLine().forEach(place -> place.waiter.run());
            opened.followers = this::followers;
            line.entry = opened;
            Failing failing = known == null ? null : known.failing();
            if (failing != null) {
                opened.failing(failing);
            }
            return opened;
        }

        /** {@return whether the store has replied to any caller of the line} */
        public boolean isLineAnswered() {
            return line.answered;
        }

        /** The store has replied to the front. */
        public void answered() {
            line.answered = true;
        }

        /** The front has learned who holds the lock, so that callers in line can report for whom they have waited. */
        public void holder(Supplier<Optional<LockHolder>> known) {
            line.holder = known;
        }

        /** The store has refused the front. */
        public void refused(AcquireReply.Held reply) {
            line.queued = reply.queued();
            number = number == 0 ? reply.queued() : number;
            holder(reply::holder);
        }

        // With the lock.

        /**
         * Holds the lock, without an entry. If it may hand the lock off, that is, if it is in a line and has more than one token, it
         * receives messages itself from now on.
         *
         * @param grant what the store has granted; must have just arrived
         */
        public void granted(QueueEntry.Grant grant) {
            line.entry = null;
            line.queued = 0;
            if (grant.tokens() > 1 && terms != null) {
                cohort = new Cohort(grant, ticker);
                entries.attend(cohort);
            }
        }

        /** The lease that was handed off to it has ended: it is the front, without the lock. */
        public void notHeld() {
            if (cohort != null) {
                entries.dismiss(cohort);
                cohort = null;
            }
        }

        /**
         * {@return whether the store granted a full lease immediately; also true if that does not matter, because the
         * lock is not handed off}
         */
        public boolean isConfirmed() {
            return cohort == null || cohort.grant.confirmed();
        }

        /** {@return the last used token of those that the grant reserved; 0 if it reserved only one} */
        public long lastFencingToken() {
            return cohort == null ? 0 : cohort.lastFencingToken;
        }

        /**
         * Hands the lock to the next caller in line, if that caller requested the same terms and may have it. This place is then
         * over.
         *
         * @param deadline the time until which the lock is certainly held without renewal, on the ticker
         * @return whether the lock was handed off, so that it no longer belongs to this caller
         */
        public boolean handOff(long deadline) {
            return cohort != null && handOff(cohort, deadline);
        }

        boolean handOff(Cohort held, long deadline) {
            Place next;
            synchronized (line) {
                next = line.front == this ? line.head() : null;
                if (next == null || !Objects.equals(next.terms, terms) || !held.handOff(deadline)) {
                    return false;
                }
                next.cohort = held;
                line.advance(State.HANDED_OFF);
            }
            next.waiter.run();
            return true;
        }

        // The end.

        /**
         * Lets the next caller in line call the store, with the entry of this place unless that was given up. Does nothing if this place is
         * over, for example after a handoff, since messages to the cohort are then for the next holder.
         *
         * @return whether there is a next caller
         */
        public boolean leave() {
            Cohort held = cohort;
            if (held != null && !isOver()) {
                entries.dismiss(held);
            }
            Place next;
            synchronized (line) {
                next = line.front == this ? line.advance(State.FRONT) : null;
            }
            if (next != null) {
                next.waiter.run();
            }
            return next != null;
        }

        /**
         * The store has failed: the callers behind would fail as well, so they all fail now, rather than trying one
         * after another.
         */
        public void fail(LockStoreException cause) {
            List<Place> failed;
            synchronized (line) {
                if (line.front != this) {
                    return;
                }
                failed = line.inLine();
                line.waiting.clear();
                for (Place each : failed) {
                    each.failure = cause;
                    each.state = State.GONE;
                }
                line.advance(State.FRONT);
            }
            failed.forEach(place -> place.waiter.run());
        }
    }
}
