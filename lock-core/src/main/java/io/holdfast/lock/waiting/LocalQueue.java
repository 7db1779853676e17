package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the callers of one client wait for locks. Those that want the same exclusive lock stand in a line. Only one of them,
 * the front, calls the store, so the load of the store does not grow with the number of callers. In addition to the lines,
 * there are the {@link EntryKeeper entries} in the queues at the store, and the callers that wait for a store that fails, see
 * {@link Outages}.
 *
 * <pre>
 *                     handOff: the lock itself, no call
 *                   ┌──────────────────────────────────┐
 *   enter ─► line ──┤                                  ├─► front ─► store ─► holds ─┬─► handOff ─► next in line
 *             │     └── pass: the entry, if there is one┘                            └─► release, leave ─► next
 *             └─ timeout, interrupt: gone
 * </pre>
 *
 * <p><b>Exactly one successor is let in.</b> As long as callers are in line there is a front. Each way out of the front
 * (handOff, pass, leave, fail) checks under the monitor of the line that this place is still the front, and {@link
 * Line#advance} names the next one in the same step; the next one is woken after that. So if a place is ended several
 * times, only the first one counts. A caller that gives up cancels under the monitor as well: either it was still in
 * line, and leaves it, or it has become the front, and then has to act as such. An empty line retires in the step that
 * finds it empty, and no caller enters a retired line.
 *
 * <p><b>Failures of the store.</b> If the first attempt of a line's first caller fails, the whole line fails: none of its
 * callers was ever answered. Once the store has replied, they are queued, and each waits through a failure for as long as it
 * may: what the entry of the front learns of the failure counts for all of them, and for the entry of the next front. A caller
 * that arrives during a failure fails immediately.
 *
 * <p>Thread-safe. A monitor is held for a few steps only, never during a call of the store or a wait.
 */
public final class LocalQueue implements AutoCloseable {

    private final String clientId;
    private final LongSupplier sequences;
    private final Ticker ticker;
    private final EntryKeeper entries;
    private final Outages outages;
    private final Map<LockKey, Line> lines = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * Creates an instance.
     *
     * @param store keeps the queues
     * @param clientId the client
     * @param sequences numbers for its acquisitions
     * @param ticker the clock
     * @param queueThread whether a thread keeps the entries alive; otherwise only {@link EntryKeeper#tick} does
     * @param onRevoked receives the sequences of holds that the store may have taken away; must not block
     */
    public LocalQueue(
            LockStore store,
            String clientId,
            LongSupplier sequences,
            Ticker ticker,
            boolean queueThread,
            LongConsumer onRevoked) {
        this.clientId = clientId;
        this.sequences = sequences;
        this.ticker = ticker;
        this.entries = new EntryKeeper(store, clientId, ticker, queueThread, onRevoked);
        this.outages = new Outages(ticker);
    }

    /**
     * Lets a caller in, behind earlier callers if it has to wait in line.
     *
     * @param key what it wants
     * @param terms on which terms: the lock is handed off only between callers with equal terms. Null if the store keeps the
     *     order of its callers, so that it stands in no line
     * @param waiter is run when it should {@linkplain Place#look check} whether it can continue; by any thread, possibly too
     *     often. Must not block or throw
     * @return its place
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if the front knows that the store fails
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
     * @return its place, in front; or null
     */
    public @Nullable Place tryEnter(LockKey key, @Nullable Object terms, Runnable waiter) {
        return line(key, terms).enter(terms, true, waiter);
    }

    /** A line that no other caller enters if the store keeps the order. */
    private Line line(LockKey key, @Nullable Object terms) {
        Line known = terms == null ? new Line(key) : lines.get(key);
        return known != null ? known : lines.computeIfAbsent(key, Line::new);
    }

    /** {@return the id of a new acquisition} */
    public OwnerId newOwner() {
        return new OwnerId(clientId, sequences.getAsLong());
    }

    /** {@return the entries in the queues at the store} */
    public EntryKeeper entries() {
        return entries;
    }

    /** {@return the callers that wait for a store that fails} */
    public Outages outages() {
        return outages;
    }

    /** How many lines there are, for tests. */
    int size() {
        return lines.size();
    }

    /** Wakes all waiting callers; they find the client closed. */
    @Override
    public void close() {
        closed = true;
        lines.values().forEach(line -> line.inLine().forEach(Place::wake));
        entries.close();
        outages.close();
    }

    /** Guarded by its monitor; volatile fields are read without it. */
    final class Line {

        private final LockKey key;
        private final Set<Place> waiting = new LinkedHashSet<>();
        private @Nullable Place front;
        private boolean retired;

        /** Who holds the lock, as the store last reported to the front. */
        private volatile Optional<LockHolder> holder = Optional.empty();

        /** Whether the store has replied to any caller of the line. */
        private volatile boolean answered;

        /**
         * The entry with which the front calls the store; null while it holds the lock. Only the front writes it. It stays when
         * the front leaves, and tells the next one whether the store fails; unless it was given up, the next one continues with
         * it.
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

        /** Since when the store fails, as far as the line knows; null if it does not. */
        @Nullable
        Failing failing() {
            QueueEntry shown = entry;
            return shown == null ? null : shown.failing();
        }

        /**
         * The only way out of the front: makes the next one in line the front, and returns it, to be woken; without a next one the
         * line retires.
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
        /** Others are in front. */
        WAITING,
        /** Calls the store, waits there, or holds the lock. */
        FRONT,
        /** Received the lock from the former front; is the front now. */
        HANDED_OFF,
        /** Gave up, or is done, or failed with the front. */
        GONE
    }

    /**
     * One caller's place, from its request for a lock until it has released the lock or given up. Used by one thread at a time;
     * once it holds the lock, {@link #handOff} and {@link #leave} by any. Its state is written under the line's monitor, and read
     * without it by waiting callers.
     */
    public final class Place {

        private final Line line;
        private final @Nullable Object terms;
        private final Runnable waiter;
        private volatile State state = State.WAITING;

        /** The grant that it may hand off; null without a lock, and for a lock that is not handed off. */
        private @Nullable Cohort cohort;

        /** That of the front, which found the store unavailable. Set before the state. */
        private @Nullable LockStoreException failure;

        private Place(Line line, @Nullable Object terms, Runnable waiter) {
            this.line = line;
            this.terms = terms;
            this.waiter = waiter;
        }

        private void wake() {
            waiter.run();
        }

        // In line.

        boolean isFront() {
            return state == State.FRONT;
        }

        /** {@return whether others are in front of it, so that it may not call the store, and has not got the lock} */
        public boolean isInLine() {
            return state == State.WAITING;
        }

        /** {@return whether it has ended, in line or as the front} */
        public boolean isOver() {
            return state == State.GONE;
        }

        /** A caller that arrives while the store fails fails immediately, as a first attempt would. */
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
         * @return for how long to wait at most before the next check, in nanoseconds; 0 if it is over: then this is the front,
         *     with or without a {@linkplain #takeHandOff() hand-off}, or, if the budget is spent, {@linkplain #isOver() gone}
         * @throws LockStoreException if the first attempt of the front failed, or the store has failed for longer than the
         *     budget allows; it is over then
         * @throws IllegalStateException if the client is closed; it is over then
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
         * @return whether it is over; if not, it has become the front, and must act as such
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

        /** {@return the lock that was handed off to it, if any, and still has to be held; once} */
        public QueueEntry.@Nullable Grant takeHandOff() {
            if (state != State.HANDED_OFF) {
                return null;
            }
            synchronized (line) {
                state = State.FRONT;
            }
            return Objects.requireNonNull(cohort).handedOff();
        }

        /** {@return who holds the lock, as the store last reported to the front} */
        public Optional<LockHolder> blockedBy() {
            return line.holder;
        }

        // In front.

        /** {@return whether others of this client stand in line behind it} */
        public boolean hasFollowers() {
            synchronized (line) {
                return !line.waiting.isEmpty();
            }
        }

        /**
         * {@return the entry of the front: that of the former front, unless it was given up; else a new one, which knows of the same
         * failure of the store} What it learns of a failure concerns all callers in line: each is woken, and checks how long it may
         * wait.
         *
         * @throws IllegalStateException if the client is closed
         */
        public QueueEntry entry() {
            QueueEntry known = line.entry;
            if (known != null && !known.givenUp) {
                return known;
            }
            QueueEntry opened = entries.open(line.key, newOwner());
            opened.whenFailing = () -> line.inLine().forEach(Place::wake);
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

        /** The store has reported who holds the lock: callers in line can say why they were refused. */
        public void blockedBy(Optional<LockHolder> holder) {
            line.holder = holder;
        }

        // With the lock.

        /**
         * Holds the lock, without an entry. If it may hand it off, it receives messages itself from now on: that is, if it stands in a
         * line, and has more than one token.
         *
         * @param grant what the store has granted, when it has just arrived
         */
        public void granted(QueueEntry.Grant grant) {
            line.entry = null;
            if (grant.tokens() > 1 && terms != null) {
                cohort = new Cohort(grant, ticker);
                entries.attend(cohort);
            }
        }

        /** The lock that was handed off to it has ended: it is the front, without the lock. */
        public void notHeld() {
            if (cohort != null) {
                entries.dismiss(cohort);
                cohort = null;
            }
        }

        /** {@return whether the store gave a whole lease at once; if it does not matter, since the lock is not handed off, true} */
        public boolean isConfirmed() {
            return cohort == null || cohort.grant().confirmed();
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
            next.wake();
            return true;
        }

        // The end.

        /**
         * Lets the next one call the store, with the entry of this one. Does nothing if this one is over.
         *
         * @return whether a caller has taken over the entry
         */
        public boolean pass() {
            Place next;
            synchronized (line) {
                next = line.front == this ? line.advance(State.FRONT) : null;
            }
            if (next != null) {
                next.wake();
            }
            return next != null;
        }

        /**
         * The store has the lock back, or it is lost, or never was granted, and its entry was given up: lets the next one in. Does
         * nothing the second time, or after a hand-off, since the messages to the cohort are for the next holder then.
         */
        public void leave() {
            Cohort held = cohort;
            if (held != null && !isOver()) {
                entries.dismiss(held);
            }
            pass();
        }

        /** The store has refused: the callers behind would be refused too, so they fail, and do not try one after the other. */
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
            failed.forEach(Place::wake);
        }
    }
}
