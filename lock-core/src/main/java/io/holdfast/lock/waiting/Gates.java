package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The {@link Gate}s of one client: one for each exclusive lock that some thread holds or wants. Thread-safe. */
final class Gates implements AutoCloseable {

    private final Map<LockKey, Gate> gates = new ConcurrentHashMap<>();
    private final SeatKeeper seats;
    private volatile boolean closed;

    /**
     * Creates an instance.
     *
     * @param seats hears for cohorts
     */
    public Gates(SeatKeeper seats) {
        this.seats = seats;
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
    public Turn enter(LockKey key, Object terms, Waiter waiter) {
        Turn turn;
        do {
            turn = gate(key).enter(terms, false, waiter);
        } while (turn == null);
        if (closed && turn.state == Turn.State.FRONT) {
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
    public @Nullable Turn tryEnter(LockKey key, Object terms) {
        return gate(key).enter(terms, true, () -> {});
    }

    private Gate gate(LockKey key) {
        Gate known = gates.get(key);
        return known != null ? known : gates.computeIfAbsent(key, unused -> new Gate(this, key));
    }

    void remove(LockKey key, Gate gate) {
        gates.remove(key, gate);
    }

    /**
     * The store has granted a lock that may be handed off: its cohort is told when somebody waits at the store.
     *
     * @param cohort the grant
     */
    public void attend(Cohort cohort) {
        if (cohort.isOpen()) {
            seats.attend(cohort);
        }
    }

    /**
     * The lock is given back to the store, or lost.
     *
     * @param cohort the grant
     */
    public void dismiss(Cohort cohort) {
        if (cohort.isOpen()) {
            seats.dismiss(cohort);
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** How many gates there are, for tests. */
    int size() {
        return gates.size();
    }

    /** Wakes all who stand in line; they find the client closed. */
    @Override
    public void close() {
        closed = true;
        gates.values().forEach(gate -> gate.inLine().forEach(Turn::wake));
    }

    static IllegalStateException closedClient() {
        return new IllegalStateException("The lock client is closed; no lock can be acquired any more");
    }
}
