package io.holdfast.lock.engine.deadlock;

import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.Uninterrupted;
import io.holdfast.lock.store.overview.WaitReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers of this client that wait for a lock while they hold others, and a thread that reports them to the store. Callers
 * never wait for either. A client without such waits reports nothing, and has no such thread.
 *
 * <p>A wait is reported when it has lasted for 20 ms, again after 100 ms, and every 500 ms from then on, all waits of the
 * client together. Changes are reported at the next tick, but at most twice a second on average and four times in a row. The
 * thread ticks every 20 ms, so all of this takes up to 20 ms longer.
 *
 * <p>Reports are bounded: the oldest {@value #MAX_WAITS} waits, {@value #MAX_HOLDS} holds of each, and {@value
 * #MAX_CHARACTERS} characters of keys.
 *
 * <p><b>No wait is forgotten.</b> The thread ticks as long as there is a wait, or a wait that was reported, also after an error,
 * and stops in the step that finds neither. A wait is added before the thread is started, unless it is ticking. Both steps are
 * under this monitor: so either the thread finds the wait, or it has stopped before, and is started again.
 */
public final class NestedWaits {

    private static final Logger log = LoggerFactory.getLogger(NestedWaits.class);

    private static final int MAX_WAITS = 64;
    public static final int MAX_HOLDS = 32;
    private static final int MAX_CHARACTERS = 100_000;

    private static final long YOUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long SECOND_REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_IN_A_ROW = 4;

    private final ClientContext client;
    private final boolean ownThread;
    private final ExecutorService thread = DaemonThreads.pool(1, "holdfast-waits");
    private final AtomicLong ids = new AtomicLong();
    private final Map<Long, BegunWait> waits = new ConcurrentSkipListMap<>();

    // Used by the thread alone
    private Set<Long> reported = Set.of(); // the ids; negative if the wait has ended
    private boolean reportedTwice;
    private long reportedAt;
    private long paidUntil; // a report is due, at the earliest, one interval later

    // Guarded by this monitor
    private boolean ticking;

    private final CountDownLatch closing = new CountDownLatch(1);

    /** @param ownThread whether a thread reports the waits; if not, the owner calls {@link #tick} */
    public NestedWaits(ClientContext client, boolean ownThread) {
        this.client = client;
        this.ownThread = ownThread;
        this.paidUntil = client.ticker().nanos() - MAX_IN_A_ROW * REPORT_NANOS;
    }

    /**
     * Called when a caller that holds locks starts to wait.
     *
     * @param describe what it holds and waits for now; called on another thread
     */
    public BegunWait begin(Supplier<NestedWait> describe) {
        BegunWait wait =
                new BegunWait(ids.incrementAndGet(), describe, client.ticker().nanos());
        waits.put(wait.id, wait);
        startTicking();
        return wait;
    }

    private synchronized void startTicking() {
        if (ownThread && !ticking && closing.getCount() > 0) {
            thread.execute(this::run);
            ticking = true;
        }
    }

    private void run() {
        boolean closed = Uninterrupted.await(closing, YOUNG_NANOS);
        try {
            if (!closed) {
                tick();
            }
        } finally {
            synchronized (this) {
                ticking = false;
                if (!isIdle()) {
                    startTicking();
                }
            }
        }
    }

    /** A wait, which its caller begins and ends. */
    public final class BegunWait {

        private final long id;
        private final Supplier<NestedWait> describe;
        private final long begunAt;
        private volatile long keptUntil;
        private volatile boolean ended;
        private volatile @Nullable NestedWait last;

        private BegunWait(long id, Supplier<NestedWait> describe, long begunAt) {
            this.id = id;
            this.describe = describe;
            this.begunAt = begunAt;
        }

        /** Never 0. */
        public long id() {
            return id;
        }

        /**
         * The wait has ended.
         *
         * @param inVain whether it ended without the lock; others in its cycle can then name it for another second
         */
        public void end(boolean inVain) {
            keptUntil = client.ticker().nanos() + KEEP_NANOS;
            ended = true;
            if (!inVain || last == null) {
                waits.remove(id);
            }
        }

        /**
         * Reports the wait only if it was still going on after it was described, because the caller may acquire more locks
         * once it has ended.
         */
        private @Nullable WaitReport report() {
            NestedWait seen = describe.get();
            if (!ended) {
                last = seen;
            }
            NestedWait described = last;
            return described == null ? null : new WaitReport(id, ended, described);
        }
    }

    /** Sends the reports that are due. Called by one thread at a time. */
    public void tick() {
        long now = client.ticker().nanos();
        waits.values().removeIf(wait -> wait.ended && now - wait.keptUntil >= 0);
        List<BegunWait> due = waits.values().stream()
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
            client.store().recordWaits(client.id(), reports);
        } catch (RuntimeException e) { // also if the client is being closed
            log.debug("This client's waits could not be recorded, so a deadlock may go undetected", e);
        }
    }

    /** Whether there is nothing to report, now or later. */
    boolean isIdle() {
        return waits.isEmpty() && reported.isEmpty();
    }

    private static List<WaitReport> reports(List<BegunWait> due) {
        List<WaitReport> reports = new ArrayList<>(due.size());
        int characters = 0;
        for (BegunWait wait : due) {
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
