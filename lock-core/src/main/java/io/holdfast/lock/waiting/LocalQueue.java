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
 * Where the callers of one client wait for locks: the only entrance to waiting. A caller that wants a lock gets a {@link Place},
 * checks it until the lock is granted, and leaves it in the end. Inside are the line of callers that want the same lock, the
 * entries in the queues at the store, the keeper of these entries, and the queue of callers that wait for a store that fails.
 * Thread-safe.
 */
public final class LocalQueue implements AutoCloseable {

    private final Queues queues;

    /**
     * Creates an instance.
     *
     * @param store keeps the queues
     * @param clientId the client
     * @param sequences numbers for its acquisitions
     * @param ticker the clock
     * @param queueThread whether a thread keeps the entries alive; otherwise only {@link #tick} does
     * @param onRevoked receives the sequences of holds that the store may have taken away; must not block
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
        return new Place(queues, key, queues.lines().enter(key, terms, waiter), waiter);
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
        Line.Member front = queues.lines().tryEnter(key, terms);
        return front == null ? null : new Place(queues, key, front, waiter);
    }

    /** {@return the id of a new acquisition} */
    public OwnerId newOwner() {
        return queues.newOwner();
    }

    /** Subscribes to the messages of the store, unless it has already. Returns immediately. */
    public void listen() {
        queues.entries().subscription().listen();
    }

    /** {@return whether messages of the store arrive} */
    public LockActivity.SubscriptionState subscriptionState() {
        return queues.entries().subscription().subscriptionState();
    }

    /** {@return how many waiters were notified of their grant} */
    public long wakeUps() {
        return queues.entries().subscription().wakeUps();
    }

    /** Polls the store for the entries that are due, for tests on virtual time. */
    public void tick() {
        queues.entries().tick();
    }

    /** Wakes all waiting callers; they find the client closed. */
    @Override
    public void close() {
        queues.lines().close();
        queues.entries().close();
        queues.outages().close();
    }
}
