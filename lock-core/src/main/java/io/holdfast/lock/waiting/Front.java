package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Ticker;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A caller in front of its line: it calls the store, has an entry in the lock's queue there, and waits on that entry, for a
 * connection, or for a failing store. Each of these is {@linkplain #look checked} in the same way.
 *
 * <p>It ends with a grant, see {@link Place#granted}, or by {@link Place#leave}, {@link Place#fail}, {@link #passEntry} or
 * {@link #passOn}, of which only the first one counts. Used by one thread at a time.
 */
public final class Front {

    private final LocalQueue queue;
    private final LockStore store;
    private final Ticker ticker;
    private final LockKey key;
    private final LocalQueue.Place line;
    private final Runnable waiter;
    private QueueEntry entry;
    private Outages.@Nullable Turn outage;

    /** Until when it waits for a connection to the store, on the ticker; only while it does. */
    private long connectionAt;

    private boolean waitsForConnection;

    /** Whether the store has given it an entry, by the last call that was answered. */
    private boolean queued;

    /** Takes over the entry, and the knowledge of a failure, that the former front has left behind. */
    public Front(
            LocalQueue queue, LockStore store, Ticker ticker, LockKey key, LocalQueue.Place line, Runnable waiter) {
        this.queue = queue;
        this.store = store;
        this.ticker = ticker;
        this.key = key;
        this.line = line;
        this.waiter = waiter;
        QueueEntry inherited = line.inheritEntry();
        this.queued = inherited != null;
        this.entry = inherited == null ? queue.entries().open(key, queue.newOwner()) : inherited;
        Failing failing = line.failing();
        if (failing != null) {
            fails(failing);
        }
    }

    /**
     * A lock that a message of the store has granted.
     *
     * @param reservation the grant
     * @param deadline until when it is certainly held unless it is confirmed, on the ticker
     */
    public record Claim(Reservation reservation, long deadline) {}

    /** {@return the acquisition} */
    public OwnerId owner() {
        return entry.owner();
    }

    /**
     * {@return how many fencing tokens the acquisition reserves: several if others stand in line behind it}
     *
     * @param leaseMillis its lease, which they do not outlast
     */
    public long tokens(long leaseMillis) {
        return line.hasFollowers() ? Cohort.tokens(leaseMillis) : 1;
    }

    // Asks the store.

    /** The store is about to be asked: messages that arrive from now on are news. */
    public void asking() {
        entry.rearm();
    }

    /**
     * The store has answered.
     *
     * @param waiting whether it was asked to keep an entry
     */
    public void answered(boolean waiting) {
        queued = waiting;
        entry.answered();
        line.answered();
    }

    /** One of its sends got no reply, and may still arrive. */
    public void markResent() {
        entry.markResent();
    }

    /** {@return whether a send of its calls was not answered, and may still arrive} */
    public boolean isResent() {
        return entry.isResent();
    }

    /** The store has reported who holds the lock: callers in line can say why they were refused. */
    public void blockedBy(Optional<LockHolder> holder) {
        line.blockedBy(holder);
    }

    /** The acquisition is never sent again: continues as a new one. */
    public void startOver() {
        Failing known = entry.failing();
        entry = queue.entries().open(key, queue.newOwner());
        queued = false;
        if (known != null) {
            entry.failing(known);
        }
    }

    // Waits.

    /**
     * The store keeps an entry for it, on which it waits from now on.
     *
     * @param askedAt when it was asked, on the ticker, before the first send
     * @param held the answer
     */
    public void queued(long askedAt, AcquireReply.Held held) {
        queue.entries().taken(entry, askedAt, held);
        line.waitsWith(entry);
        entry.wakes(waiter);
    }

    /**
     * All connections to the store were in use, so nothing was sent: waits for a connection as for the lock.
     *
     * @param nanos when to try again, unless it is woken before
     */
    public void waitForConnection(long nanos) {
        connectionAt = ticker.nanos() + nanos;
        waitsForConnection = true;
        entry.wakes(waiter);
    }

    /**
     * Checks whether the wait is over: in the queue at the store, for a connection, or for a store that fails.
     *
     * @param budget ends the wait
     * @return for how long to wait at most before the next check, in nanoseconds; 0 if there is something to do, or the budget is spent
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if the budget is spent while the store fails, or it has failed for too long
     */
    public long look(Budget budget) {
        if (outage != null) {
            return outage.look(budget, entry.failing());
        }
        long left = entry.look(budget);
        return waitsForConnection ? Math.max(0, Math.min(left, connectionAt - ticker.nanos())) : left;
    }

    /** It no longer waits for anything. */
    public void stopWaiting() {
        waitsForConnection = false;
        entry.wakes(null);
        leaveOutage();
    }

    /** {@return the lock that a message has granted; null if none is known, or it is old, or implausible} */
    public @Nullable Claim claim() {
        StoreTime.Believed believed = entry.claim();
        return believed == null ? null : new Claim(believed.reservation(), believed.deadline());
    }

    /** A claim is used. */
    public void claimed() {
        answered(queued);
    }

    // The store fails.

    /** {@return whether the store fails, as far as is known} */
    public boolean isStoreFailing() {
        return entry.failing() != null;
    }

    /** {@return whether the store has failed since it last answered this acquisition} */
    public boolean hasMetFailure() {
        return entry.hasMetFailure();
    }

    /** {@return whether the store has answered any caller of the line} */
    public boolean isLineAnswered() {
        return line.isLineAnswered();
    }

    /**
     * The store fails: callers in line check how long they may wait for it.
     *
     * @param sentAt when it was asked, on the ticker; if it failed before, that counts
     * @param failure what it said
     */
    public void fails(long sentAt, LockStoreException failure) {
        Failing known = entry.failing();
        fails(new Failing(known == null ? sentAt : known.since(), failure));
    }

    private void fails(Failing failing) {
        entry.failing(failing);
        line.waitsWith(entry);
    }

    /** Queues behind the callers of this client that wait for the same store. */
    public void joinOutage() {
        outage = queue.outages().join(store.serverOf(key), isStoreFailing(), waiter);
    }

    /**
     * {@return whether the budget is spent on an outage, though the store is back}
     *
     * @param budget ends the wait
     * @throws LockStoreException if it is spent, and the store still fails
     */
    public boolean isOutageTooLong(Budget budget) {
        Failing failing = entry.failing();
        boolean spent = budget.remainingNanos(failing) == 0;
        if (spent && failing != null) {
            throw failing.over(key);
        }
        return spent;
    }

    /** The store has failed again. */
    public void failedAgain() {
        Objects.requireNonNull(outage).failed();
    }

    /** The store replies again: the next caller may call it immediately. */
    public void recovered() {
        Objects.requireNonNull(outage).answered();
        leaveOutage();
    }

    private void leaveOutage() {
        Outages.Turn left = outage;
        outage = null;
        if (left != null) {
            left.close();
        }
    }

    // Goes without the lock.

    /**
     * Leaves its entry to the next one in line, which is let in.
     *
     * @return false if there is none, or the entry cannot be used any more: then it must be given up
     */
    public boolean passEntry() {
        return !isResent() && line.pass(entry);
    }

    /**
     * No caller receives messages for its entry any more.
     *
     * @return whether the store was asked to keep it, and may do so
     */
    public boolean closeEntry() {
        queue.entries().giveUp(entry);
        return queued;
    }

    /**
     * Stops waiting for a failing store, and lets the next one in. The callers in line have queued before, and continue to wait
     * for as long as each may.
     *
     * @param sentAt when it was asked, on the ticker; if it failed before, that counts
     * @param failure what it said
     */
    public void passOn(long sentAt, LockStoreException failure) {
        Failing known = entry.failing();
        line.passOn(known == null ? new Failing(sentAt, failure) : known);
    }
}
