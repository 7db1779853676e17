package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the callers of one client wait for locks: the only door to waiting. Who wants a lock gets a {@link Place}, which is looked
 * at until the lock is there, and left in the end. Inside are the line of callers that want the same lock, the entry of each in the
 * lock's queue at the store, what keeps these alive, and the queue of those who wait for a store that fails. Thread-safe.
 */
public final class LocalQueue implements AutoCloseable {

    private final Queues queues;

    /**
     * Creates an instance.
     *
     * @param store keeps the queues
     * @param clientId the client
     * @param sequences tell its acquisitions apart
     * @param ticker the clock
     * @param queueThread whether a thread keeps the entries; otherwise only {@link #tick} does
     * @param onRevoked is told of holds that the store may have taken away, by their sequences; must not block
     */
    public LocalQueue(
            LockStore store,
            String clientId,
            LongSupplier sequences,
            Ticker ticker,
            boolean queueThread,
            LongConsumer onRevoked) {
        var entries = new EntryKeeper(store, clientId, ticker, queueThread);
        entries.subscription().onRevoked(onRevoked);
        this.queues = new Queues(store, clientId, sequences, ticker, new Lines(), entries, new Outages(ticker));
    }

    /**
     * Lets a caller in, behind those that came before if it has to stand in line.
     *
     * @param key what it wants
     * @param terms on which terms: the lock is handed off between callers with equal ones only. Null if it stands in no line, since
     *     the store tells who is next
     * @param waiter is run when it may go on and should {@linkplain Place#look check}; by any thread, possibly too often. Must not
     *     block or throw
     * @return its place
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if those in front know that the store fails
     */
    public Place enter(LockKey key, @Nullable Object terms, Runnable waiter) {
        return new Place(queues, key, queues.lines().enter(key, terms, waiter), waiter);
    }

    /**
     * Lets a caller in if nobody stands in line.
     *
     * @param key as in {@link #enter}
     * @param terms as in {@link #enter}
     * @param waiter as in {@link #enter}
     * @return its place, in front; or null
     */
    public @Nullable Place tryEnter(LockKey key, @Nullable Object terms, Runnable waiter) {
        Line.Member front = queues.lines().tryEnter(key, terms);
        return front == null ? null : new Place(queues, key, front, waiter);
    }

    /** {@return an acquisition that is new to the store} */
    public OwnerId newOwner() {
        return queues.newOwner();
    }

    /** Begins to hear what the store has to say. Returns at once; does nothing if it has begun. */
    public void listen() {
        queues.entries().subscription().listen();
    }

    /** {@return whether messages of the store can be heard} */
    public LockActivity.SubscriptionState subscriptionState() {
        return queues.entries().subscription().subscriptionState();
    }

    /** {@return how many waiters heard from the store that their lock is there} */
    public long wakeUps() {
        return queues.entries().subscription().wakeUps();
    }

    /** Asks the store for those who wait there, if that is due, for tests on virtual time. */
    public void tick() {
        queues.entries().tick();
    }

    /** Wakes all who wait; they find the client closed. */
    @Override
    public void close() {
        queues.lines().close();
        queues.entries().close();
        queues.outages().close();
    }
}
