package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entry of one acquisition in the queue at the store, as the client sees it. One caller at a time waits on it; in the line
 * of a {@link LocalQueue}, it passes from one caller to the next.
 *
 * <p>No wakeup is missed: the waiter clears {@link #called} before it calls the store, and waits only while the flag is still
 * clear afterwards. A wakeup that arrives before a reply that makes it superfluous costs one more call to the store, never a
 * wait. The flag that marks the client as closed is never cleared.
 *
 * <p><b>Reservations.</b> A message states until when the lock is granted, by the store's clock, but not how old the message
 * itself is. So the entry remembers when it last called the store, and the store's time in the reply: see {@link StoreTime},
 * which also rejects implausible messages.
 */
public final class QueueEntry {

    /**
     * A grant by the store, in a reply or in a message, or a handoff by another caller.
     *
     * @param owner the acquisition that was granted
     * @param token the fencing token
     * @param at when the hold began, on the ticker: for a grant in a reply, before the call was sent
     * @param deadline the time until which the lock is certainly held without renewal, on the ticker
     * @param tokens how many tokens were reserved; 0 if the lock was handed off
     * @param waiters which callers were waiting at the store then
     * @param confirmed whether the store granted a full lease; if not, the lease is short until it is renewed
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

    /** The waiter of an entry on which no caller waits. */
    public static final Runnable NOBODY = () -> {};

    /** A message, and when it arrived, on the ticker. */
    private record Message(Reservation reservation, long receivedAt) {}

    /** The lock. */
    public final LockKey key;

    /** The acquisition. */
    public final OwnerId owner;

    private volatile boolean called;
    private volatile @Nullable Message message;

    /** The last reply that gave it a place in the queue; null before the first one, when the entry need not be kept alive yet. */
    volatile @Nullable StoreTime answer;

    /** The waiters behind this entry that a message has reported, before the entry's own grant is known. */
    volatile Waiters awaited = Waiters.NONE;

    private volatile boolean closed;
    private volatile Runnable waiter = NOBODY;
    private volatile @Nullable Failing failing;
    private volatile boolean metFailure;

    /** Whether the store may have the entry, according to the last call that was answered. Used by the waiting thread. */
    boolean kept;

    /** Whether its acquisition is over, so that no other caller may continue with it. */
    volatile boolean givenUp;

    volatile Runnable whenFailing = () -> {};

    /** The callers in line behind its waiter. */
    volatile Supplier<Followers> followers = () -> Followers.NONE;

    QueueEntry(LockKey key, OwnerId owner) {
        this.key = key;
        this.owner = owner;
    }

    /** The store is about to be called: only messages that arrive from now on count. */
    public void rearm() {
        called = false;
        message = null;
    }

    /**
     * The store has replied that the lock is not granted to this entry yet.
     *
     * @param time when the call was first sent, and the store's time in the reply
     */
    synchronized void answered(StoreTime time) {
        answer = time.orLater(answer);
    }

    void granted(Reservation granted, long receivedAt) {
        message = new Message(granted, receivedAt);
        call();
    }

    /**
     * Returns the lock that a message has granted. The store confirms the grant only when it is called.
     *
     * @return the grant; null if none is known, or if it is old or implausible
     */
    public @Nullable Grant claim(long now, long leaseNanos, boolean resent) {
        Message received = message;
        StoreTime asked = answer;
        if (received == null || asked == null) {
            return null;
        }
        Reservation lock = received.reservation();
        Long until = asked.verify(lock, received.receivedAt(), leaseNanos);
        if (until == null) {
            return null;
        }
        return new Grant(owner, lock.token(), now, until, lock.tokens(), lock.waiters(), false, resent);
    }

    /** {@return the grant in a reply to a call that was sent at the given time, which is therefore confirmed} */
    public Grant granted(AcquireReply.Granted reply, long sentAt, long leaseNanos, boolean resent) {
        return new Grant(
                owner, reply.token(), sentAt, sentAt + leaseNanos, reply.tokens(), reply.waiters(), true, resent);
    }

    /** {@return the failure of the store; null if it is not failing} */
    public @Nullable Failing failing() {
        return failing;
    }

    /** {@return whether the store has failed since it last replied to a call of this entry} */
    public boolean hasMetFailure() {
        return metFailure;
    }

    /**
     * The store has failed, or is still failing. The waiter checks how long it may wait for the store to recover, and
     * does not call it.
     *
     * @param found when the failure began, and its cause; the earliest time counts
     */
    public void failing(Failing found) {
        Failing known = failing;
        failing = known == null ? found : new Failing(known.since(), found.failure());
        metFailure = true;
        if (known == null) {
            whenFailing.run();
            waiter.run();
        }
    }

    /** The store replies again. */
    void recovered() {
        failing = null;
    }

    /**
     * The store has replied to a call of this entry, or has granted it the lock by a message.
     *
     * @param mayKeep whether the store may keep the entry
     */
    public void answered(boolean mayKeep) {
        kept = mayKeep;
        failing = null;
        metFailure = false;
    }

    /** The store should be called now. */
    void call() {
        called = true;
        waiter.run();
    }

    void close() {
        closed = true;
        call();
    }

    /**
     * Sets the waiter, before the first {@link #look}.
     *
     * @param waiting run when the caller should check again; {@link #NOBODY} for none
     */
    public void wakes(Runnable waiting) {
        waiter = waiting;
    }

    /**
     * Checks whether the store should be called.
     *
     * @param budget ends the wait
     * @return the maximum time to wait before the next check, in nanoseconds; 0 if the store should be called, or the budget is
     *     spent
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if the budget is spent while the store is failing, or the store has been failing for too long
     */
    public long look(Budget budget) {
        long left = budget.remainingNanos(failing);
        if (!called && !closed && left > 0) {
            return left;
        }
        ensureOpen();
        Failing found = failing;
        if (!called && found != null) {
            throw found.over(key);
        }
        return 0;
    }

    /** Throws an {@link IllegalStateException} if the client is closed; until then, closing it runs the waiter. */
    public void ensureOpen() {
        if (closed) {
            throw closedClient();
        }
    }

    static IllegalStateException closedClient() {
        return new IllegalStateException("The lock client is closed; no lock can be acquired");
    }
}
