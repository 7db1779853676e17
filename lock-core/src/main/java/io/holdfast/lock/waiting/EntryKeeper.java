package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of one client in all queues at the store: receives the messages that call them, and polls them periodically, in
 * case a message is lost.
 *
 * <pre>
 *   store ── granted(n) ───────────────────────► entry n ──► its waiter uses the grant, or asks for a longer one
 *   one thread ── keepEntries(row, row, …) ── called ─► entry n ──► its waiter asks the store
 * </pre>
 *
 * <p>A row is all entries in one queue. It is polled when the lease or reservation that blocks it would expire, at least every
 * 500 ms (100 ms while messages do not arrive), up to a tenth earlier, but not twice within 10 ms; rows that are due soon are
 * polled with it, so the number of calls does not grow with that of waiters. This also keeps the entries alive. When messages
 * arrive again, all rows are polled immediately, since messages in between were lost; those that a call under way asks for, once
 * more after it.
 *
 * <p>So a lost message costs at most one interval, and a poll calls a waiter only if its entry is reserved or gone: either way
 * its next call makes progress. When the store fails, the waiters are notified, so that each knows how long it may still wait,
 * and the thread continues to poll for all of them.
 *
 * <p>Thread-safe. The thread and the subscription start with the first entry in a queue.
 */
final class EntryKeeper implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EntryKeeper.class);

    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_DEAF_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long TAKEN_ALONG_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);

    private final LockStore store;
    private final Ticker ticker;
    private final boolean withThread;

    private final Subscription subscription;

    /** Guarded by this monitor, which is never held during a call to the store. */
    private final Map<LockKey, EntryRow> rows = new HashMap<>();

    private final TreeSet<EntryRow> byTime = new TreeSet<>();
    private long rowNumbers;

    /** When messages began to arrive last, and how often they did: whatever a call that was sent before has found may be old. */
    private long heardAt;

    private int timesHeard;

    /** When queues for which the store has failed are polled again. */
    private long probeAt;

    private @Nullable Thread thread;
    private volatile boolean closed;

    /**
     * Creates an instance.
     *
     * @param store keeps the queues
     * @param clientId the client
     * @param ticker the clock
     * @param withThread whether a thread polls; without it, the owner calls {@link #tick()}
     */
    public EntryKeeper(LockStore store, String clientId, Ticker ticker, boolean withThread) {
        this.store = store;
        this.subscription = new Subscription(store, clientId, ticker, this::heard);
        this.ticker = ticker;
        this.withThread = withThread;
        this.probeAt = ticker.nanos();
    }

    /**
     * Opens the entry of an acquisition, so that it receives messages, before its first call is sent.
     *
     * @param key what is to be acquired
     * @param owner the acquisition
     * @return its entry, to be {@linkplain #giveUp given up} in the end
     * @throws IllegalStateException if the client is closed
     */
    public QueueEntry open(LockKey key, OwnerId owner) {
        QueueEntry entry = new QueueEntry(key, owner);
        subscription.add(entry);
        if (closed) {
            subscription.remove(entry);
            throw ClosedClient.exception();
        }
        return entry;
    }

    /**
     * The store has given the acquisition a place in the queue, or confirmed it.
     *
     * @param entry the entry
     * @param askedAt when the call was first sent, on the ticker
     * @param held the reply
     */
    public void taken(QueueEntry entry, long askedAt, AcquireReply.Held held) {
        Duration blockedFor = held.blockedFor();
        entry.answered(new StoreTime(askedAt, ticker.nanos(), held.storeMicros()));
        boolean wake;
        synchronized (this) {
            if (closed) {
                return;
            }
            boolean old = timesHeard > 0 && askedAt - heardAt < 0;
            long pollAt = ticker.nanos() + (old ? 0 : interval(blockedFor));
            EntryRow row = rows.computeIfAbsent(entry.key(), key -> new EntryRow(key, rowNumbers++, pollAt));
            row.add(entry);
            entry.taken = true;
            wake = schedule(row, byTime.contains(row) && row.pollAt - pollAt < 0 ? row.pollAt : pollAt);
        }
        hear();
        if (wake) {
            wake();
        }
    }

    /**
     * Closes an entry: the acquisition holds the lock, or has failed for good.
     *
     * @param entry the entry
     * @return whether the store had given it a place
     */
    public boolean giveUp(QueueEntry entry) {
        subscription.remove(entry);
        if (entry.taken) {
            leaveRow(entry);
        }
        return entry.taken;
    }

    private synchronized void leaveRow(QueueEntry entry) {
        EntryRow row = rows.get(entry.key());
        if (row != null) {
            row.remove(entry);
            if (row.isEmpty()) {
                rows.remove(row.key);
                byTime.remove(row);
            }
        }
    }

    /** The subscription to messages of the store. */
    Subscription subscription() {
        return subscription;
    }

    /** Notifies a cohort when callers wait at the store. */
    void attend(Cohort cohort) {
        hear();
        subscription.attend(cohort);
    }

    void dismiss(Cohort cohort) {
        subscription.dismiss(cohort);
    }

    /** Messages arrive again, so that those in between were lost; or they no longer arrive. */
    private void heard(boolean now) {
        synchronized (this) {
            long latest = ticker.nanos() + (now ? 0 : LONGEST_DEAF_NANOS);
            if (now) {
                heardAt = latest;
                timesHeard++;
            }
            for (EntryRow row : new ArrayList<>(byTime)) {
                if (row.pollAt - latest > 0) {
                    schedule(row, latest);
                }
            }
        }
        wake();
    }

    private void hear() {
        synchronized (this) {
            if (withThread && thread == null && !closed) {
                Thread keeper = DaemonThreads.create(this::run, "holdfast-queue");
                keeper.start();
                thread = keeper;
            }
        }
        subscription.listen();
    }

    /** Returns whether the row is the first one now. */
    private boolean schedule(EntryRow row, long pollAt) {
        byTime.remove(row);
        row.pollAt = pollAt;
        byTime.add(row);
        return byTime.first() == row;
    }

    private long interval(Duration blockedFor) {
        long longest = Math.min(subscription.isHeard() ? LONGEST_NANOS : LONGEST_DEAF_NANOS, blockedFor.toNanos());
        long jittered = longest - ThreadLocalRandom.current().nextLong(longest / 10 + 1);
        return Math.max(jittered, SHORTEST_NANOS);
    }

    private void run() {
        while (!closed) {
            long next;
            try {
                next = tick();
            } catch (RuntimeException | Error e) {
                log.error("Unexpected error in thread holdfast-queue; continuing", e);
                next = ticker.nanos() + LONGEST_DEAF_NANOS;
            }
            LockSupport.parkNanos(this, Math.max(1, next - ticker.nanos()));
            Thread.interrupted(); // a stray one would end every pause at once
        }
    }

    private void wake() {
        LockSupport.unpark(thread);
    }

    /**
     * Polls every row that is due. The keeper's own thread does so in time; other threads may as well.
     *
     * @return when the next one is due, on the ticker
     */
    public long tick() {
        List<EntryRow> due = takeDue();
        if (!due.isEmpty()) {
            Poll poll = poll(due);
            try {
                settle(poll, store.keepEntries(poll.requests));
            } catch (RuntimeException e) {
                log.debug("Queue entries could not be kept alive for {} queue(s)", due.size(), e);
                settle(poll, failed(due, e));
            } catch (Error e) {
                settle(poll, failed(due, e));
                throw e;
            }
        }
        synchronized (this) {
            return byTime.isEmpty() ? ticker.nanos() + IDLE_NANOS : byTime.first().pollAt;
        }
    }

    private synchronized List<EntryRow> takeDue() {
        long now = ticker.nanos();
        List<EntryRow> due = new ArrayList<>();
        if (!byTime.isEmpty() && byTime.first().pollAt - now <= 0) {
            while (!byTime.isEmpty() && byTime.first().pollAt - now <= TAKEN_ALONG_NANOS) {
                due.add(byTime.pollFirst());
            }
        }
        return due;
    }

    /** One call: the rows, when it was sent, and how often messages had begun to arrive by then. */
    private record Poll(List<EntryRow> due, List<EntryRequest> requests, long askedAt, int timesHeard) {}

    private synchronized Poll poll(List<EntryRow> due) {
        List<EntryRequest> requests = due.stream().map(EntryRow::request).toList();
        return new Poll(due, requests, ticker.nanos(), timesHeard);
    }

    private static List<EntryReply> failed(List<EntryRow> due, Throwable e) {
        EntryReply reply = new EntryReply.Failed(String.valueOf(e.getMessage()));
        return due.stream().map(row -> reply).toList();
    }

    /**
     * If the store fails for a queue, its waiters are notified, and do not call it: this thread polls for all such queues
     * together, every 100 ms to 1 s.
     */
    private void settle(Poll poll, List<EntryReply> replies) {
        List<QueueEntry> called = new ArrayList<>();
        Map<QueueEntry, Failing> failing = new HashMap<>();
        boolean found = false;
        synchronized (this) {
            for (int i = 0; i < poll.due.size(); i++) {
                EntryRow row = poll.due.get(i);
                long next;
                if (replies.get(i) instanceof EntryReply.Kept kept) {
                    row.failures = 0;
                    row.entries().forEach(QueueEntry::recovered);
                    var time = new StoreTime(poll.askedAt, ticker.nanos(), kept.storeMicros());
                    found |= called.addAll(row.kept(poll.requests.get(i), kept, time));
                    next = ticker.nanos() + (poll.timesHeard == timesHeard ? interval(kept.blockedFor()) : 0);
                } else {
                    row.failures++;
                    var failure = new LockStoreException(reason(replies.get(i)), null, false);
                    row.entries().forEach(entry -> failing.put(entry, new Failing(poll.askedAt, failure)));
                    next = nextProbe(row);
                }
                if (rows.get(row.key) == row && !byTime.contains(row)) {
                    schedule(row, next);
                }
            }
        }
        failing.forEach(QueueEntry::failing);
        called.forEach(QueueEntry::call);
        if (found) {
            subscription.missed();
        }
    }

    private static String reason(EntryReply reply) {
        return reply instanceof EntryReply.Failed failed ? failed.reason() : "no reply";
    }

    /** Queues that fail are polled together, in one call. */
    private long nextProbe(EntryRow row) {
        long now = ticker.nanos();
        long longest = Math.min(LONGEST_DEAF_NANOS << Math.min(row.failures - 1, 4), LONGEST_PROBE_NANOS);
        if (probeAt - now <= 0 || probeAt - now > longest) {
            probeAt = now + longest - ThreadLocalRandom.current().nextLong(longest / 4);
        }
        return probeAt;
    }

    /** Wakes all waiting callers; they find the client closed. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        wake();
        subscription.close();
    }
}
