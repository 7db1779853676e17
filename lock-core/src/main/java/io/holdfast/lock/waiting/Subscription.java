package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one client hears of the store, and who of it is told: an entry, that the lock was granted to it; a cohort, that somebody
 * waits at the store; the engine, that a hold may have been taken away. Begins with the first entry or cohort. Thread-safe.
 */
final class Subscription implements WakeListener, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Subscription.class);

    private static final int MISSED_TO_DOUBT = 3;

    /** Is told whether messages can be heard from now on. */
    @FunctionalInterface
    interface Change {
        void heard(boolean now);
    }

    private final LockStore store;
    private final String clientId;
    private final Ticker ticker;
    private final Change change;
    private final Map<Long, QueueEntry> entries = new ConcurrentHashMap<>();
    private final Map<Long, Cohort> cohorts = new ConcurrentHashMap<>();

    /** How often entries were found to be called since the last message. */
    private final AtomicInteger missed = new AtomicInteger();

    private final LongAdder wakeUps = new LongAdder();
    private volatile boolean heard;
    private volatile LongConsumer onRevoked = sequence -> {};

    /** Guarded by this monitor. */
    private LockStore.@Nullable Listening listening;

    private boolean closed;

    Subscription(LockStore store, String clientId, Ticker ticker, Change change) {
        this.store = store;
        this.clientId = clientId;
        this.ticker = ticker;
        this.change = change;
    }

    void add(QueueEntry entry) {
        entries.put(entry.owner().sequence(), entry);
    }

    void remove(QueueEntry entry) {
        entries.remove(entry.owner().sequence());
    }

    /**
     * Has a cohort told when somebody waits at the store. The hint may be here before the news that the lock was granted;
     * then the entry has kept it. It is written to the entry first and to the cohort then, and here they are looked at in the
     * other order, so one of both finds the other.
     */
    void attend(Cohort cohort) {
        long sequence = cohort.owner().sequence();
        cohorts.put(sequence, cohort);
        QueueEntry entry = entries.get(sequence);
        if (entry != null && entry.awaited() != Waiters.NONE) {
            cohort.awaited(entry.awaited());
        }
    }

    void dismiss(Cohort cohort) {
        cohorts.remove(cohort.owner().sequence());
    }

    @Override
    public void granted(long sequence, Reservation reservation) {
        missed.set(0);
        QueueEntry entry = entries.get(sequence);
        if (entry != null) {
            wakeUps.increment();
            entry.granted(reservation, ticker.nanos());
        }
    }

    /** {@return how many waiters heard from the store that their lock is there} */
    long wakeUps() {
        return wakeUps.sum();
    }

    /** {@return whether messages of the store can be heard} */
    synchronized LockActivity.SubscriptionState subscriptionState() {
        if (heard) {
            return LockActivity.SubscriptionState.CONNECTED;
        }
        return listening == null
                ? LockActivity.SubscriptionState.NOT_NEEDED
                : LockActivity.SubscriptionState.DISCONNECTED;
    }

    boolean isHeard() {
        return heard;
    }

    @Override
    public void awaited(long sequence, Waiters waiters) {
        missed.set(0);
        QueueEntry entry = entries.get(sequence);
        if (entry != null) {
            entry.awaited(waiters);
        }
        Cohort cohort = cohorts.get(sequence);
        if (cohort != null) {
            cohort.awaited(waiters);
        }
    }

    /**
     * A cohort that may have lost its lock asks the store before it goes on; so nobody is handed what was taken away. Whether
     * it was, others find out.
     */
    @Override
    public void revoked(long sequence) {
        Cohort cohort = cohorts.get(sequence);
        if (cohort != null) {
            cohort.awaited(Waiters.FAIR);
        }
        onRevoked.accept(sequence);
    }

    /** Has an action told of holds that the store may have taken away, by their sequences; it must not block. */
    void onRevoked(LongConsumer action) {
        onRevoked = action;
    }

    @Override
    public void connected() {
        heard(true);
    }

    @Override
    public void disconnected() {
        heard(false);
    }

    private void heard(boolean now) {
        heard = now;
        change.heard(now);
    }

    /** Begins to hear what the store has to say. Returns at once; does nothing if it has begun. */
    void listen() {
        synchronized (this) {
            if (listening != null || closed) {
                return;
            }
            try {
                listening = store.listen(clientId, this);
            } catch (RuntimeException e) {
                log.warn("Cannot subscribe to wake-up messages yet; polling every 100 ms", e);
            }
        }
    }

    /**
     * An entry was found to be called by asking. A message that is just under way may be found so before it is heard, but hardly
     * {@value #MISSED_TO_DOUBT} in a row without any in between. Then the store is to make sure that messages arrive.
     */
    void missed() {
        if (missed.incrementAndGet() < MISSED_TO_DOUBT) {
            return;
        }
        missed.set(0);
        LockStore.Listening doubted;
        synchronized (this) {
            doubted = listening;
        }
        if (doubted != null) {
            doubted.doubt();
        }
    }

    /** All who wait find the client closed. */
    @Override
    public void close() {
        LockStore.Listening open;
        synchronized (this) {
            closed = true;
            open = listening;
            listening = null;
        }
        entries.values().forEach(QueueEntry::close);
        if (open != null) {
            open.close();
        }
    }
}
