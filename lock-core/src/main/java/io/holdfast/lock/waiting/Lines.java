package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The {@link Line}s of one client: one for each exclusive lock that some thread holds or wants. Thread-safe. */
final class Lines implements AutoCloseable {

    private final Map<LockKey, Line> lines = new ConcurrentHashMap<>();
    private final EntryKeeper entries;
    private volatile boolean closed;

    /**
     * Creates an instance.
     *
     * @param entries hears for cohorts
     */
    public Lines(EntryKeeper entries) {
        this.entries = entries;
    }

    /**
     * Lines up a caller.
     *
     * @param key what it wants
     * @param terms on which terms; the lock is handed off between equal ones only
     * @param waiter is woken when its turn has come
     * @return its turn
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if those in front know that the store fails
     */
    public LinePlace enter(LockKey key, Object terms, Waiter waiter) {
        LinePlace turn;
        do {
            turn = line(key).enter(terms, false, waiter);
        } while (turn == null);
        if (closed && turn.state == LinePlace.State.FRONT) {
            turn.pass(null);
            throw closedClient();
        }
        turn.failIfOutage();
        return turn;
    }

    /**
     * Lets a caller in if nobody is there.
     *
     * @param key what it wants
     * @param terms on which terms
     * @return its turn, as the front; or null
     */
    public @Nullable LinePlace tryEnter(LockKey key, Object terms) {
        return line(key).enter(terms, true, () -> {});
    }

    private Line line(LockKey key) {
        Line known = lines.get(key);
        return known != null ? known : lines.computeIfAbsent(key, unused -> new Line(this, key));
    }

    void remove(LockKey key, Line line) {
        lines.remove(key, line);
    }

    /**
     * The store has granted a lock that may be handed off: its cohort is told when somebody waits at the store.
     *
     * @param cohort the grant
     */
    public void attend(Cohort cohort) {
        if (cohort.isOpen()) {
            entries.attend(cohort);
        }
    }

    /**
     * The lock is given back to the store, or lost.
     *
     * @param cohort the grant
     */
    public void dismiss(Cohort cohort) {
        if (cohort.isOpen()) {
            entries.dismiss(cohort);
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** How many lines there are, for tests. */
    int size() {
        return lines.size();
    }

    /** Wakes all who stand in line; they find the client closed. */
    @Override
    public void close() {
        closed = true;
        lines.values().forEach(line -> line.inLine().forEach(LinePlace::wake));
    }

    static IllegalStateException closedClient() {
        return new IllegalStateException("The lock client is closed; no lock can be acquired any more");
    }
}
