package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the entries of one client in all queues at the store: receives the messages that wake them, and polls periodically, in
 * case a message is lost.
 *
 * <pre>
 *   store ── granted(n) ───────────────────────► entry n ──► its waiter uses the grant, or requests a longer one
 *   one thread ── keepEntries(row, row, …) ── called ─► entry n ──► its waiter calls the store
 * </pre>
 *
 * <p>A row consists of all entries in one queue. It is polled when the lease or reservation that blocks it would expire, but
 * at least every 500 ms (100 ms while no messages arrive); each interval is shortened at random by up to a tenth, but is never
 * below 10 ms. Rows that are due soon are polled in the same call, so the number of calls does not grow with the number of
 * waiters. Polling also keeps the entries alive. When messages begin to arrive again, all rows are polled immediately, since
 * messages in between were lost; rows that are part of a call in progress are polled once more after it.
 *
 * <p>So a lost message costs at most one interval, and a poll wakes a waiter only if the lock is reserved for its entry or the
 * entry is gone: either way, its next call makes progress. When the store fails, the waiters are notified, so that each knows
 * how long it may still wait, and the thread continues to poll for all of them.
 *
 * <p>Messages about held locks (others wait for them, or they were revoked) go to cohorts and to the engine.
 *
 * <p>Thread-safe. The thread and the subscription start with the first entry in a queue, or the first cohort.
 */
public final class EntryKeeper implements WakeListener, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EntryKeeper.class);

    private static final long MAX_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MAX_POLL_UNSUBSCRIBED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MIN_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long COALESCING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int MISSED_TO_DOUBT = 3;

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LockStore store;

    /** The client, as the store knows it. */
    public final String clientId;

    private final Ticker ticker;
    private final boolean withThread;
    private final LongConsumer onRevoked;

    /** Guarded by this monitor, which is never held during a call to the store. */
    private final Map<LockKey, Row> rows = new LinkedHashMap<>();

    /** When the thread polls next. */
    private long nextAt;

    /** When messages last began to arrive: the result of a call that was sent earlier may be outdated. */
    private long subscribedAt;

    /** When queues for which the store has failed are polled again. */
    private long probeAt;

    private @Nullable Thread thread;
    private volatile boolean closed;

    /** The receivers of messages, by the sequence of the owner id. */
    private final Map<Long, QueueEntry> entries = new ConcurrentHashMap<>();

    final Map<Long, Cohort> cohorts = new ConcurrentHashMap<>();

    /** How many polls have found called entries since the last message. */
    private final AtomicInteger missed = new AtomicInteger();

    private final LongAdder wakeups = new LongAdder();
    private volatile boolean subscribed;

    /** Guards the subscription. */
    private final Object subscribing = new Object();

    /** Written under the monitor above. */
    private volatile LockStore.@Nullable Listening listening;

    private boolean warned;
    private Runnable retry = () -> {};

    /**
     * Retries a failed subscription, because otherwise nothing might do so while the same callers wait for locks or
     * hold them.
     */
    private final DaemonThreads.Timer timer = DaemonThreads.timer();

    /**
     * Creates an instance.
     *
     * @param store keeps the queues
     * @param clientId the client
     * @param ticker the clock
     * @param withThread whether a thread polls; if not, the owner calls {@link #tick()}
     * @param onRevoked receives the sequences of holds that the store may have revoked; must not block
     */
    public EntryKeeper(LockStore store, String clientId, Ticker ticker, boolean withThread, LongConsumer onRevoked) {
        this.store = store;
        this.clientId = clientId;
        this.ticker = ticker;
        this.withThread = withThread;
        this.onRevoked = onRevoked;
        this.probeAt = ticker.nanos();
        this.nextAt = probeAt;
        this.subscribedAt = probeAt;
    }

    /** The entries of this client in one lock's queue, and when they are polled next. */
    static final class Row {

        private final LockKey key;
        final Map<OwnerId, QueueEntry> entries = new LinkedHashMap<>();

        /** How many times in succession the store has failed for it. */
        private int failures;

        /** When it is polled next; while a poll is in progress, in an hour, unless another one is needed after that. */
        private long pollAt;

        Row(LockKey key, long pollAt) {
            this.key = key;
            this.pollAt = pollAt;
        }

        private void pollBy(long at) {
            pollAt = isDue(at) ? pollAt : at;
        }

        private boolean isDue(long at) {
            return pollAt - at <= 0;
        }

        /** The entries of a request that have not been given up in the meantime. */
        private List<QueueEntry> of(EntryRequest request) {
            return request.owners().stream()
                    .map(entries::get)
                    .flatMap(Stream::ofNullable)
                    .toList();
        }

        /** Handles the reply to a request. Returns the entries that are called; the others are not granted yet. */
        List<QueueEntry> kept(EntryRequest request, EntryReply.Kept reply, StoreTime time) {
            Set<OwnerId> called = Set.copyOf(reply.called());
            List<QueueEntry> kept = of(request);
            kept.forEach(QueueEntry::recovered);
            kept.stream().filter(entry -> !called.contains(entry.owner)).forEach(entry -> entry.answered(time));
            return kept.stream().filter(entry -> called.contains(entry.owner)).toList();
        }
    }

    /**
     * Opens the entry of an acquisition before its first call is sent, so that it receives messages.
     *
     * @param key the lock to acquire
     * @param owner the acquisition
     * @return its entry, to be {@linkplain #giveUp given up} in the end
     * @throws IllegalStateException if the client is closed
     */
    public QueueEntry open(LockKey key, OwnerId owner) {
        QueueEntry entry = new QueueEntry(key, owner);
        entries.put(owner.sequence(), entry);
        if (closed) {
            entries.remove(owner.sequence());
            throw QueueEntry.closedClient();
        }
        return entry;
    }

    /**
     * The store has given the acquisition a place in the queue, or confirmed that place.
     *
     * @param entry the entry
     * @param askedAt when the call was first sent, on the ticker
     * @param held the reply
     */
    public void taken(QueueEntry entry, long askedAt, AcquireReply.Held held) {
        entry.answered(new StoreTime(askedAt, ticker.nanos(), held.storeMicros()));
        boolean first;
        synchronized (this) {
            if (closed) {
                return;
            }
            long pollAt = ticker.nanos() + (askedAt - subscribedAt < 0 ? 0 : interval(held.blockedFor()));
            Row row = rows.computeIfAbsent(entry.key, key -> new Row(key, pollAt));
            row.entries.put(entry.owner, entry);
            row.pollBy(pollAt);
            first = pollAt - nextAt < 0;
        }
        listen();
        if (first) {
            LockSupport.unpark(thread);
        }
    }

    /**
     * Closes an entry: the acquisition holds the lock, or has failed for good.
     *
     * @param entry the entry
     * @return whether the store may still have it, according to the last call that was answered
     */
    public boolean giveUp(QueueEntry entry) {
        entries.remove(entry.owner.sequence());
        entry.givenUp = true;
        if (entry.answer != null) {
            synchronized (this) {
                rows.computeIfPresent(entry.key, (key, row) -> {
                    row.entries.remove(entry.owner);
                    return row.entries.isEmpty() ? null : row;
                });
            }
        }
        return entry.kept;
    }

    /**
     * Notifies a cohort from now on when callers wait at the store. Such a message may arrive before the grant; then the entry
     * has stored it. A message is passed to the entry first and to the cohort second; here, the cohort is registered first and
     * the entry is read second, so that no message is missed.
     */
    void attend(Cohort cohort) {
        listen();
        long sequence = cohort.grant.owner().sequence();
        cohorts.put(sequence, cohort);
        QueueEntry entry = entries.get(sequence);
        if (entry != null && entry.awaited != Waiters.NONE) {
            cohort.awaited(entry.awaited);
        }
    }

    void dismiss(Cohort cohort) {
        cohorts.remove(cohort.grant.owner().sequence());
    }

    // Messages.

    @Override
    public void granted(long sequence, Reservation reservation) {
        missed.set(0);
        QueueEntry entry = entries.get(sequence);
        if (entry != null) {
            wakeups.increment();
            entry.granted(reservation, ticker.nanos());
        }
    }

    /** {@return how many waiters were notified of their grant} */
    public long wakeups() {
        return wakeups.sum();
    }

    @Override
    public void awaited(long sequence, Waiters waiters) {
        missed.set(0);
        QueueEntry entry = entries.get(sequence);
        if (entry != null) {
            entry.awaited = waiters;
        }
        Cohort cohort = cohorts.get(sequence);
        if (cohort != null) {
            cohort.awaited(waiters);
        }
    }

    /**
     * A cohort that may have lost its lock makes no further handoff, and calls the store instead, so that no caller is
     * handed a lost lock. Whether the lock was lost is determined elsewhere.
     */
    @Override
    public void revoked(long sequence) {
        awaited(sequence, Waiters.FAIR);
        onRevoked.accept(sequence);
    }

    @Override
    public void connected() {
        subscribed(true);
    }

    @Override
    public void disconnected() {
        subscribed(false);
    }

    /** Messages arrive again, and those in between were lost; or they no longer arrive. */
    private void subscribed(boolean now) {
        subscribed = now;
        synchronized (this) {
            long latest = ticker.nanos() + (now ? 0 : MAX_POLL_UNSUBSCRIBED_NANOS);
            subscribedAt = now ? latest : subscribedAt;
            rows.values().forEach(row -> row.pollBy(latest));
        }
        LockSupport.unpark(thread);
    }

    /** {@return whether messages from the store arrive} */
    public LocalLocks.SubscriptionState subscriptionState() {
        if (subscribed) {
            return LocalLocks.SubscriptionState.CONNECTED;
        }
        return listening == null || listening == LockStore.Listening.NONE
                ? LocalLocks.SubscriptionState.NOT_NEEDED
                : LocalLocks.SubscriptionState.DISCONNECTED;
    }

    private void listen() {
        synchronized (this) {
            if (withThread && thread == null && !closed) {
                thread = DaemonThreads.create(this::run, "holdfast-queue");
                thread.start();
            }
        }
        subscribe();
    }

    /** Subscribes to messages from the store, unless already subscribed. Returns immediately. */
    public void subscribe() {
        synchronized (subscribing) {
            if (listening != null || closed) {
                return;
            }
            try {
                listening = store.listen(clientId, this);
            } catch (RuntimeException | Error e) { // for example if no thread can be started
                retry.run();
                retry = timer.after(RETRY_NANOS, this::subscribe);
                if (!warned) {
                    log.warn("Cannot subscribe to wakeup messages yet; polling every 100 ms", e);
                }
                warned = true;
            }
        }
    }

    /**
     * A poll has found a called entry. A poll may overtake a message in transit, but is unlikely to do so
     * {@value #MISSED_TO_DOUBT} times in a row without any message in between. In that case the store checks that messages
     * arrive.
     */
    private void missed() {
        if (missed.incrementAndGet() >= MISSED_TO_DOUBT) {
            missed.set(0);
            LockStore.Listening doubted = listening;
            if (doubted != null) {
                doubted.doubt();
            }
        }
    }

    // Polls.

    private long interval(Duration blockedFor) {
        long longest = Math.min(subscribed ? MAX_POLL_NANOS : MAX_POLL_UNSUBSCRIBED_NANOS, blockedFor.toNanos());
        long jittered = longest - ThreadLocalRandom.current().nextLong(longest / 10 + 1);
        return Math.max(jittered, MIN_POLL_NANOS);
    }

    private void run() {
        while (!closed) {
            AtomicLong next = new AtomicLong(ticker.nanos() + MAX_POLL_UNSUBSCRIBED_NANOS);
            DaemonThreads.runGuarded(() -> next.set(tick()));
            LockSupport.parkNanos(this, Math.max(1, next.get() - ticker.nanos()));
            Thread.interrupted(); // a stray interrupt would end every pause immediately
        }
    }

    /**
     * Polls every row that is due. The keeper's own thread calls this in time; other threads may call it, too.
     *
     * @return when the next one is due, on the ticker
     */
    public long tick() {
        Poll poll = takeDue();
        if (!poll.due.isEmpty()) {
            try {
                handleReplies(poll, store.keepEntries(poll.requests));
            } catch (RuntimeException | Error e) {
                EntryReply failed = new EntryReply.Failed(String.valueOf(e.getMessage()));
                handleReplies(poll, Collections.nCopies(poll.due.size(), failed));
                log.debug("Queue entries could not be kept alive for {} queue(s)", poll.due.size(), e);
                if (e instanceof Error error) {
                    throw error;
                }
            }
        }
        synchronized (this) {
            nextAt = ticker.nanos() + IDLE_NANOS;
            for (Row row : rows.values()) {
                nextAt = row.isDue(nextAt) ? row.pollAt : nextAt;
            }
            return nextAt;
        }
    }

    /** One call: its requests, the row of each of them, and when it was sent. */
    private record Poll(List<Row> due, List<EntryRequest> requests, long askedAt) {

        /** A long row takes several requests. */
        void add(Row row) {
            List<OwnerId> owners = List.copyOf(row.entries.keySet());
            Map<OwnerId, Followers> followers = new HashMap<>();
            row.entries.forEach((owner, entry) -> followers.put(owner, entry.followers.get()));
            followers.values().removeIf(Followers.NONE::equals);
            for (int from = 0; from < owners.size(); from += LockStore.MAX_PER_CALL) {
                int to = Math.min(owners.size(), from + LockStore.MAX_PER_CALL);
                requests.add(new EntryRequest(row.key, owners.subList(from, to), followers));
                due.add(row);
            }
        }
    }

    private synchronized Poll takeDue() {
        long now = ticker.nanos();
        long until = rows.values().stream().anyMatch(row -> row.isDue(now)) ? now + COALESCING_NANOS : now;
        Poll poll = new Poll(new ArrayList<>(), new ArrayList<>(), now);
        rows.values().stream().filter(row -> row.isDue(until)).forEach(poll::add);
        poll.due.forEach(row -> row.pollAt = now + IDLE_NANOS); // last, so that no row is due in an hour without a poll
        return poll;
    }

    /**
     * If the store fails for a queue, the waiters of that queue are notified, and do not call the store: this thread
     * polls for all such queues together, every 100 ms to 1 s.
     */
    private void handleReplies(Poll poll, List<EntryReply> replies) {
        List<QueueEntry> called = new ArrayList<>();
        Map<QueueEntry, Failing> failing = new HashMap<>();
        synchronized (this) {
            Set<Row> broken = IntStream.range(0, poll.due.size())
                    .filter(i -> !(replies.get(i) instanceof EntryReply.Kept))
                    .mapToObj(poll.due::get)
                    .collect(Collectors.toSet());
            new HashSet<>(poll.due).forEach(row -> row.failures = broken.contains(row) ? row.failures + 1 : 0);
            for (int i = 0; i < poll.due.size(); i++) {
                Row row = poll.due.get(i);
                EntryRequest request = poll.requests.get(i);
                if (replies.get(i) instanceof EntryReply.Kept kept) {
                    var time = new StoreTime(poll.askedAt, ticker.nanos(), kept.storeMicros());
                    called.addAll(row.kept(request, kept, time));
                    row.pollBy(ticker.nanos() + interval(kept.blockedFor()));
                } else {
                    var cause = new LockStoreException(((EntryReply.Failed) replies.get(i)).reason(), null, false);
                    row.of(request).forEach(entry -> failing.put(entry, new Failing(poll.askedAt, cause)));
                    row.pollBy(nextProbe(row));
                }
            }
        }
        failing.forEach(QueueEntry::failing);
        called.forEach(QueueEntry::call);
        if (!called.isEmpty()) {
            missed();
        }
    }

    /** Queues that fail are polled together, in one call. */
    private long nextProbe(Row row) {
        long now = ticker.nanos();
        long longest = Math.min(MAX_POLL_UNSUBSCRIBED_NANOS << Math.min(row.failures - 1, 4), MAX_PROBE_NANOS);
        if (probeAt - now <= 0 || probeAt - now > longest) {
            probeAt = now + longest - ThreadLocalRandom.current().nextLong(longest / 4);
        }
        return probeAt;
    }

    /** Wakes all waiting callers, which then find the client closed. */
    @Override
    public void close() {
        LockStore.Listening open;
        synchronized (subscribing) {
            synchronized (this) {
                closed = true;
            }
            open = listening;
            listening = null;
        }
        LockSupport.unpark(thread);
        timer.close();
        entries.values().forEach(QueueEntry::close);
        if (open != null) {
            open.close();
        }
    }
}
