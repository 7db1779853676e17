package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition's place in the queue at the store, seen from here. One caller at a time waits on it; behind a
 * {@link Line} it passes from one to the next.
 *
 * <p>No call is missed: the waiter clears {@link #called} before it asks the store, and waits only while it is still
 * clear afterwards. A call that comes earlier than the answer to the question it makes superfluous costs one more
 * question, never a wait. That the client was closed is never cleared.
 *
 * <p><b>Reservations.</b> A message says that the lock is granted, until when on the store's clock, but not how old it is.
 * So the entry remembers when it asked the store last, and what the store's clock was then: see {@link StoreTime}, which also
 * says what is not believed.
 */
final class QueueEntry {

    /** A message, and when it was here, on the ticker. */
    private record Message(Reservation reservation, long heardAt) {}

    private final LockKey key;
    private final OwnerId owner;
    private volatile boolean called;
    private volatile @Nullable Message message;
    private volatile @Nullable StoreTime answer;
    private volatile Waiters awaited = Waiters.NONE;
    private volatile boolean closed;
    private volatile @Nullable Runnable waiter;
    private volatile @Nullable Failing failing;
    private volatile boolean metFailure;
    private volatile Runnable whenFailing = () -> {};

    /** Whether the store has given it a place, so that it must be kept, or given up. The waiting thread's. */
    boolean taken;

    /** Whether a send of its calls was not answered, and may still arrive. The waiting thread's. */
    private boolean resent;

    QueueEntry(LockKey key, OwnerId owner) {
        this.key = key;
        this.owner = owner;
    }

    /** {@return what is waited for} */
    public LockKey key() {
        return key;
    }

    /** {@return the acquisition} */
    public OwnerId owner() {
        return owner;
    }

    /** {@return whether a send of one of its calls was not answered, and may still arrive} */
    public boolean isResent() {
        return resent;
    }

    /** One of its calls was sent twice. */
    public void markResent() {
        resent = true;
    }

    /** The store is about to be asked: whatever calls come from now on are news. */
    public void rearm() {
        called = false;
        message = null;
    }

    /**
     * The store has answered that the lock is not for this entry yet.
     *
     * @param time when it was asked, before the first send, and its clock
     */
    synchronized void answered(StoreTime time) {
        answer = time.orLater(answer);
    }

    /** Who was said to wait behind it, although it is not known yet that it holds the lock. */
    Waiters awaited() {
        return awaited;
    }

    void awaited(Waiters waiters) {
        awaited = waiters;
    }

    void granted(Reservation granted, long heardAt) {
        message = new Message(granted, heardAt);
        call();
    }

    /**
     * The lock that the entry was told of.
     *
     * @return the grant, and its deadline; or null if none is known, or it is old, or cannot be true
     */
    public StoreTime.@Nullable Believed claim() {
        Message heard = message;
        StoreTime asked = answer;
        return heard == null || asked == null ? null : asked.believe(heard.reservation(), heard.heardAt());
    }

    /** {@return since when the store does not say whether the lock is there, if it is so} */
    public @Nullable Failing failing() {
        return failing;
    }

    /** {@return whether that has been so since the store answered this entry's question for the last time} */
    public boolean hasMetFailure() {
        return metFailure;
    }

    /**
     * The store failed, or went on failing. The waiter looks how long it may wait for that; it does not ask.
     *
     * @param found since when, and why; what was found first counts
     */
    public void failing(Failing found) {
        Failing known = failing;
        failing = known == null ? found : new Failing(known.since(), found.failure());
        metFailure = true;
        if (known == null) {
            whenFailing.run();
            wake();
        }
    }

    /** The store answers again. */
    void recovered() {
        failing = null;
    }

    /** The store has answered this entry's own question. */
    public void answered() {
        failing = null;
        metFailure = false;
    }

    void whenFailing(Runnable action) {
        whenFailing = action;
    }

    /** It is worth while to ask now. */
    void call() {
        called = true;
        wake();
    }

    private void wake() {
        Runnable waiting = waiter;
        if (waiting != null) {
            waiting.run();
        }
    }

    void close() {
        closed = true;
        call();
    }

    /**
     * Says who is to be woken from now on. Whoever waits says so before the first {@link #look}.
     *
     * @param waiting who; null for nobody
     */
    public void wakes(@Nullable Runnable waiting) {
        waiter = waiting;
    }

    /**
     * Looks whether it is worth while to ask the store.
     *
     * @param budget ends the wait
     * @return for how long to wait at most before the next look, in nanoseconds; 0 if the store is to be asked, or the budget is
     *     spent
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if the budget is spent while the store fails, or it has failed for too long
     */
    public long look(Budget budget) {
        long left = budget.remainingNanos(failing);
        if (!called && !closed && left > 0) {
            return left;
        }
        if (closed) {
            throw ClosedClient.exception();
        }
        Failing found = failing;
        if (!called && found != null) {
            throw found.over(key);
        }
        return 0;
    }
}
