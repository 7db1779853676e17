package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import org.jspecify.annotations.Nullable;

/**
 * The entry of one acquisition in the queue at the store, as the client sees it. One caller at a time waits on it; in the
 * line of a {@link LocalQueue} it passes from one to the next.
 *
 * <p>No call is missed: the waiter clears {@link #called} before it calls the store, and waits only while it is still clear
 * afterwards. A call that arrives before a reply which makes it superfluous costs one more call to the store, never a wait. The
 * mark that the client is closed is never cleared.
 *
 * <p><b>Reservations.</b> A message says until when the lock is granted by the store's clock, but not how old the message is. So
 * the entry remembers when it last called the store, and the store's time then: see {@link StoreTime}, which also rejects
 * implausible messages.
 */
public final class QueueEntry {

    /**
     * What the store has granted, by a reply or by a message, or another caller has handed off.
     *
     * @param owner the acquisition that was granted
     * @param token the fencing token
     * @param at when the hold began, on the ticker: for a grant of the store, before its call was sent
     * @param deadline until when the lock is certainly held without renewal, on the ticker
     * @param tokens how many tokens were reserved; 0 if the lock was handed off
     * @param waiters who waited at the store then
     * @param confirmed whether the store gave a whole lease; if not, it is short until it is renewed
     * @param resent whether a send of the acquisition got no reply, and may still arrive
     */
    public record Grant(
            OwnerId owner,
            long token,
            long at,
            long deadline,
            long tokens,
            Waiters waiters,
            boolean confirmed,
            boolean resent) {}

    /** A message, and when it arrived, on the ticker. */
    private record Message(Reservation reservation, long heardAt) {}

    private final LockKey key;
    private final OwnerId owner;
    private volatile boolean called;
    private volatile @Nullable Message message;

    /** The last reply that gave it a place in the queue; null before the first one: then it need not be kept alive. */
    volatile @Nullable StoreTime answer;

    private volatile Waiters awaited = Waiters.NONE;
    private volatile boolean closed;
    private volatile @Nullable Runnable waiter;
    private volatile @Nullable Failing failing;
    private volatile boolean metFailure;

    /** Whether the store may keep it, as far as the last call that was answered says. Used by the waiting thread. */
    boolean kept;

    /** Whether its acquisition is over, so that no other may continue with it. */
    volatile boolean givenUp;

    volatile Runnable whenFailing = () -> {};

    QueueEntry(LockKey key, OwnerId owner) {
        this.key = key;
        this.owner = owner;
    }

    /** {@return the lock} */
    public LockKey key() {
        return key;
    }

    /** {@return the acquisition} */
    public OwnerId owner() {
        return owner;
    }

    /** The store is about to be called: only messages that arrive from now on count. */
    public void rearm() {
        called = false;
        message = null;
    }

    /**
     * The store has replied that the lock is not granted to this entry yet.
     *
     * @param time when the call was first sent, and the store's time
     */
    synchronized void answered(StoreTime time) {
        answer = time.orLater(answer);
    }

    /** Which callers a message has reported behind it, before its own grant is known. */
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
     * The lock that a message has granted. The store confirms it only when it is called.
     *
     * @return the grant; null if none is known, or it is old, or implausible
     */
    public @Nullable Grant claim(long now, long leaseNanos, boolean resent) {
        Message heard = message;
        StoreTime asked = answer;
        if (heard == null || asked == null) {
            return null;
        }
        Reservation told = heard.reservation();
        Long until = asked.believe(told, heard.heardAt(), leaseNanos);
        return until == null
                ? null
                : new Grant(owner, told.token(), now, until, told.tokens(), told.waiters(), false, resent);
    }

    /** {@return the lock, granted by a reply to a call sent at that time, so it is confirmed} */
    public Grant granted(AcquireReply.Granted reply, long sentAt, long leaseNanos, boolean resent) {
        return new Grant(
                owner, reply.token(), sentAt, sentAt + leaseNanos, reply.tokens(), reply.waiters(), true, resent);
    }

    /** {@return since when the store fails, if it does} */
    public @Nullable Failing failing() {
        return failing;
    }

    /** {@return whether the store has failed since it last replied to a call of this entry} */
    public boolean hasMetFailure() {
        return metFailure;
    }

    /**
     * The store has failed, or still fails. The waiter checks how long it may wait for it, and does not call the store.
     *
     * @param found since when, and why; the earliest time counts
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

    /** The store replies again. */
    void recovered() {
        failing = null;
    }

    /**
     * The store has replied to a call of this entry, or has granted it the lock by a message.
     *
     * @param mayKeep whether it may keep the entry
     */
    public void answered(boolean mayKeep) {
        kept = mayKeep;
        failing = null;
        metFailure = false;
    }

    /** The store should be called now. */
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
     * Sets the waiter, before the first {@link #look}.
     *
     * @param waiting is run when it should check again; null for none
     */
    public void wakes(@Nullable Runnable waiting) {
        waiter = waiting;
    }

    /**
     * Checks whether the store should be called.
     *
     * @param budget ends the wait
     * @return for how long to wait at most before the next check, in nanoseconds; 0 if the store should be called, or the budget
     *     is spent
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if the budget is spent while the store fails, or it has failed for too long
     */
    public long look(Budget budget) {
        long left = budget.remainingNanos(failing);
        if (!called && !closed && left > 0) {
            return left;
        }
        if (closed) {
            throw closedClient();
        }
        Failing found = failing;
        if (!called && found != null) {
            throw found.over(key);
        }
        return 0;
    }

    static IllegalStateException closedClient() {
        return new IllegalStateException("The lock client is closed; no lock can be acquired");
    }
}
