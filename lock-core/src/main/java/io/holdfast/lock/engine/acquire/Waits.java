package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.scan.WaitReport;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.threads.Uninterrupted;
import io.holdfast.lock.waiting.Budget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of this client that wait for a lock, except those that get it immediately; and a thread that reports the nested ones,
 * whose callers already hold locks, to the store. Callers never wait for that thread. A client without nested waits reports
 * nothing, and has no such thread.
 *
 * <p>A nested wait is reported when it has lasted for 20 ms, again after 100 ms, and every 500 ms from then on; each report
 * covers all nested waits of the client. Changes are reported at the next tick, but at most twice a second on average and four
 * times in a row. The thread ticks every 20 ms, so each of these times may be up to 20 ms longer.
 *
 * <p>Reports are limited to the oldest {@value #MAX_WAITS} waits, {@value #MAX_HOLDS} holds of each, and {@value #MAX_CHARACTERS}
 * characters of keys.
 *
 * <p><b>No nested wait is forgotten.</b> The thread ticks, even after an error, as long as there is a nested wait or one that was
 * reported, and stops in the step that finds neither. A wait is added before the step that starts the thread if it is not
 * ticking. Both steps hold this monitor, so either the thread finds the wait, or it has already stopped, and is started again.
 */
public final class Waits {

    private static final Logger log = LoggerFactory.getLogger(Waits.class);

    private static final int MAX_WAITS = 64;
    private static final int MAX_HOLDS = 32;
    private static final int MAX_CHARACTERS = 100_000;

    private static final long YOUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long SECOND_REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_IN_A_ROW = 4;

    private final ClientContext client;
    private final boolean ownThread;
    private final ExecutorService thread = DaemonThreads.pool(1, "holdfast-waits");
    private final Set<CallerWait> all = ConcurrentHashMap.newKeySet();
    private final Map<LockKey, Integer> byKey = new ConcurrentHashMap<>();

    /** The nested ones, by id, including those that have ended but are still reported. */
    private final Map<Long, CallerWait> nested = new ConcurrentSkipListMap<>();

    private final AtomicLong ids = new AtomicLong();

    // Used by the thread only
    private Set<Long> reported = Set.of(); // the ids; negative if the wait has ended
    private boolean reportedTwice;
    private long reportedAt;
    private long paidUntil; // a report is due one interval later at the earliest

    // Guarded by this monitor
    private boolean ticking;

    private final CountDownLatch closing = new CountDownLatch(1);

    /** @param ownThread whether a thread reports the nested waits; if not, the owner calls {@link #tick} */
    public Waits(ClientContext client, boolean ownThread) {
        this.client = client;
        this.ownThread = ownThread;
        this.paidUntil = client.ticker.nanos() - MAX_IN_A_ROW * REPORT_NANOS;
    }

    public List<LocalLocks.WaitingCall> snapshot() {
        return all.stream().map(CallerWait::describe).toList();
    }

    /** {@return the callers of this client that wait for a lock} The store learns only later of those in line behind others. */
    public Followers of(LockKey key) {
        int number = byKey.getOrDefault(key, 0);
        Stream<CallerWait> same =
                all.stream().filter(wait -> number > 0 && wait.terms.key().equals(key));
        Optional<Duration> longest = same.map(wait -> wait.budget.spent()).max(Comparator.naturalOrder());
        return new Followers(number, longest.orElse(Duration.ZERO));
    }

    /**
     * The lock is not free, so the caller waits.
     *
     * @throws LockOverloadException if too many calls are already waiting for the key
     */
    CallerWait begin(Terms terms, Budget budget, Caller caller) {
        LockKey key = terms.key();
        int most = terms.maxWaiting();
        if (byKey.merge(key, 1, Integer::sum) > most) {
            oneLess(key);
            throw new LockOverloadException("Lock '" + key + "' is not free, and " + most
                    + " calls from this client are already waiting for it, which is the limit. Try again later, or raise"
                    + " maxWaiting.");
        }
        CallerWait wait =
                new CallerWait(terms, budget, List.copyOf(caller.holds().values()));
        all.add(wait);
        if (wait.id != 0) {
            nested.put(wait.id, wait);
            startTicking();
        }
        return wait;
    }

    private void oneLess(LockKey key) {
        byKey.computeIfPresent(key, (same, waiting) -> waiting == 1 ? null : waiting - 1);
    }

    private synchronized void startTicking() {
        if (ownThread && !ticking && !isIdle() && closing.getCount() > 0) {
            thread.execute(this::run);
            ticking = true;
        }
    }

    private void run() {
        try {
            if (!Uninterrupted.await(closing, YOUNG_NANOS)) {
                tick();
            }
        } finally {
            synchronized (this) {
                ticking = false;
                startTicking();
            }
        }
    }

    /** One call's wait. */
    final class CallerWait {

        /** 0 if the caller holds no locks. */
        final long id;

        private final Terms terms;
        private final Budget budget;
        private final String clientId = client.id();
        private final HolderInfo here = ClientContext.currentThread();
        private final long begunAt = client.ticker.nanos();

        /** The caller's holds; it acquires no more while it waits. */
        private final List<Hold> holds;

        private volatile long keptUntil;
        private volatile boolean ended;
        private volatile @Nullable NestedWait last;

        private CallerWait(Terms terms, Budget budget, List<Hold> holds) {
            this.id = holds.isEmpty() ? 0 : ids.incrementAndGet();
            this.terms = terms;
            this.budget = budget;
            this.holds = holds;
        }

        private LocalLocks.WaitingCall describe() {
            return new LocalLocks.WaitingCall(terms.key(), terms.name(), terms.mode(), here.thread(), budget.spent());
        }

        /**
         * The wait has ended. Must be called once.
         *
         * @param timedOut whether its budget was spent; others in its cycle can then still report it for another second
         */
        void end(boolean timedOut) {
            keptUntil = client.ticker.nanos() + KEEP_NANOS;
            ended = true;
            if (!timedOut || last == null) {
                nested.remove(id);
            }
            all.remove(this);
            oneLess(terms.key());
        }

        /**
         * Reports the wait only if it was still in progress after it was described, because the caller may acquire more
         * locks once it has ended. A lock may have been lost, or released by another thread, since the wait began.
         */
        private @Nullable WaitReport report() {
            List<NestedWait.HeldLock> held = holds.stream()
                    .filter(Hold::isLive)
                    .limit(MAX_HOLDS)
                    .map(hold -> new NestedWait.HeldLock(hold.key(), hold.token(), hold.mode()))
                    .toList();
            NestedWait seen = new NestedWait(
                    clientId, here.host(), here.pid(), here.thread(), terms.key(), terms.mode(), budget.spent(), held);
            if (!ended) {
                last = seen;
            }
            NestedWait described = last;
            return described == null ? null : new WaitReport(id, ended, described);
        }
    }

    /** Sends the reports that are due. Called by one thread at a time. */
    public void tick() {
        long now = client.ticker.nanos();
        nested.values().removeIf(wait -> wait.ended && now - wait.keptUntil >= 0);
        List<CallerWait> due = nested.values().stream()
                .filter(wait -> now - wait.begunAt >= YOUNG_NANOS)
                .limit(MAX_WAITS)
                .toList();
        Set<Long> found =
                due.stream().map(wait -> wait.ended ? -wait.id : wait.id).collect(Collectors.toSet());
        boolean known = found.equals(reported);
        long repeatAt = reportedAt + (reportedTwice ? REPORT_NANOS : SECOND_REPORT_NANOS);
        if (paidUntil + REPORT_NANOS - now > 0 || (known && (found.isEmpty() || repeatAt - now > 0))) {
            return;
        }
        List<WaitReport> reports = reports(due);
        reportedTwice = known;
        reportedAt = now;
        reported = found;
        long saved = now - MAX_IN_A_ROW * REPORT_NANOS;
        paidUntil = (paidUntil - saved < 0 ? saved : paidUntil) + REPORT_NANOS;
        try {
            client.store.recordWaits(client.id(), reports);
        } catch (RuntimeException e) { // also if the client is being closed
            log.debug("This client's waits could not be recorded, so a deadlock may go undetected", e);
        }
    }

    /** Whether there is nothing to report, now or later. */
    boolean isIdle() {
        return nested.isEmpty() && reported.isEmpty();
    }

    private static List<WaitReport> reports(List<CallerWait> due) {
        List<WaitReport> reports = new ArrayList<>(due.size());
        int characters = 0;
        for (CallerWait wait : due) {
            WaitReport report = wait.report();
            int more = report == null ? 0 : characters(report.what());
            if (report != null && characters + more <= MAX_CHARACTERS) {
                characters += more;
                reports.add(report);
            }
        }
        return reports;
    }

    private static int characters(NestedWait wait) {
        return wait.key().value().length()
                + wait.holds().stream()
                        .mapToInt(held -> held.key().value().length())
                        .sum();
    }

    /** Stops reporting; the store soon forgets what was reported. */
    public synchronized void close() {
        closing.countDown();
        thread.shutdown();
    }
}
