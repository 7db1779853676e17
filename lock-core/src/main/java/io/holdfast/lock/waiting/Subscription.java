package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the messages of the store to one client, and passes them on: grants to their entries, news of waiters to cohorts, and
 * possible losses of holds to the engine. Starts with the first entry or cohort. Thread-safe.
 */
final class Subscription implements WakeListener, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Subscription.class);

    private static final int MISSED_TO_DOUBT = 3;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Is notified when messages begin to arrive, or no longer arrive. */
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

    /** How often polls have found called entries since the last message. */
    private final AtomicInteger missed = new AtomicInteger();

    private final LongAdder wakeUps = new LongAdder();
    private volatile boolean heard;
    private volatile LongConsumer onRevoked = sequence -> {};

    /** Guarded by this monitor. */
    private LockStore.@Nullable Listening listening;

    private boolean closed;
    private boolean warned;
    private Runnable retry = () -> {};

    /** Tries again: otherwise nobody might, while the same callers wait or hold locks. */
    private final DaemonThreads.Timer timer = DaemonThreads.timer();

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
     * Notifies a cohort when callers wait at the store. That message may arrive before the grant; then the entry has stored it.
     * A message is written to the entry first and to the cohort second, and here they are read in the opposite order, so that
     * none is missed.
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

    /** How many cohorts receive messages, for tests. */
    int cohorts() {
        return cohorts.size();
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

    /** {@return how many waiters were notified of their grant} */
    long wakeUps() {
        return wakeUps.sum();
    }

    /** {@return whether messages of the store arrive} */
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
     * A cohort that may have lost its lock asks the store before its next hand-off, so that no caller is handed a lost lock.
     * Whether it was lost is found elsewhere.
     */
    @Override
    public void revoked(long sequence) {
        Cohort cohort = cohorts.get(sequence);
        if (cohort != null) {
            cohort.awaited(Waiters.FAIR);
        }
        onRevoked.accept(sequence);
    }

    /** Sets the action for holds that the store may have taken away, which receives their sequences; it must not block. */
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

    /** Subscribes, unless it has already. Returns immediately. */
    void listen() {
        synchronized (this) {
            if (listening != null || closed) {
                return;
            }
            try {
                listening = store.listen(clientId, this);
            } catch (RuntimeException | Error e) { // such as that no thread can be started
                if (!warned) {
                    log.warn("Cannot subscribe to wake-up messages yet; polling every 100 ms", e);
                }
                warned = true;
            } finally {
                if (listening == null) {
                    retry();
                }
            }
        }
    }

    private void retry() {
        retry.run();
        retry = timer.after(RETRY_NANOS, this::listen);
    }

    /**
     * A poll has found a called entry. A poll may overtake a message in transit, but hardly {@value #MISSED_TO_DOUBT} times in a
     * row without any message in between. Then the store checks that messages arrive.
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

    /** Ends all waits: they find the client closed. */
    @Override
    public void close() {
        LockStore.Listening open;
        synchronized (this) {
            closed = true;
            open = listening;
            listening = null;
        }
        timer.close();
        entries.values().forEach(QueueEntry::close);
        if (open != null) {
            open.close();
        }
    }
}
