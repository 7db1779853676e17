package io.holdfast.lock.engine.deadlock;

import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.overview.WaitReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
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
 * client together. Changes are reported immediately, but at most twice a second on average and four times in a row.
 *
 * <p>Reports are bounded: the oldest {@value #MAX_WAITS} waits, {@value #MAX_HOLDS} holds of each, and {@value
 * #MAX_CHARACTERS} characters of keys.
 *
 * <p><b>No wait is forgotten.</b> As long as there is a wait, or a wait that was reported, each tick schedules the next one. Of
 * the ticks that are asked for, the earliest counts, see {@link #tickIn}. A wait is added before its tick is asked for. So
 * either that tick is scheduled, or an earlier one, which finds the wait.
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
    private final DaemonThreads.@Nullable Timer timer;
    private final ExecutorService thread = DaemonThreads.pool(1, DaemonThreads.named("holdfast-waits"));
    private final AtomicLong ids = new AtomicLong();
    private final Map<Long, BegunWait> waits = new ConcurrentSkipListMap<>();

    // Used by the thread alone
    private Set<Long> reported = Set.of(); // the ids; negative if the wait has ended
    private boolean reportedTwice;
    private long reportedAt;
    private long paidUntil; // a report is due, at the earliest, one interval later

    // Guarded by this monitor
    private @Nullable Runnable cancelTick;
    private long tickAt;
    private boolean closed;

    /** @param ownThread whether a thread reports the waits; if not, the owner calls {@link #tick} */
    public NestedWaits(ClientContext client, boolean ownThread) {
        this.client = client;
        this.timer = ownThread ? DaemonThreads.timer() : null;
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
        tickIn(YOUNG_NANOS);
        return wait;
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
            if (last != null) {
                tickIn(0);
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

    /** Schedules a tick, unless there is an earlier one that has not begun. */
    private synchronized void tickIn(long nanos) {
        long at = client.ticker().nanos() + nanos;
        if (timer == null || closed || (cancelTick != null && tickAt - at <= 0)) {
            return;
        }
        if (cancelTick != null) {
            cancelTick.run();
        }
        tickAt = at;
        cancelTick = timer.after(nanos, this::handOver);
    }

    /** The store is not called on the timer's thread. */
    private synchronized void handOver() {
        if (!closed) {
            thread.execute(this::tickAndGoOn);
        }
    }

    private void tickAndGoOn() {
        synchronized (this) {
            cancelTick = null;
        }
        long left = REPORT_NANOS;
        try {
            left = tick();
        } catch (RuntimeException | Error e) {
            log.error("Unexpected error in thread holdfast-waits; continuing", e);
        }
        if (left >= 0) {
            tickIn(left);
        }
    }

    /**
     * Sends the reports that are due. Called by one thread at a time.
     *
     * @return the time in nanoseconds until the next report is due, if nothing changes; negative if none ever is
     */
    public long tick() {
        long now = client.ticker().nanos();
        waits.values().removeIf(wait -> wait.ended && now - wait.keptUntil >= 0);
        if (isIdle()) {
            return -1;
        }
        List<BegunWait> due = waits.values().stream()
                .filter(wait -> now - wait.begunAt >= YOUNG_NANOS)
                .limit(MAX_WAITS)
                .toList();
        Set<Long> found =
                due.stream().map(wait -> wait.ended ? -wait.id : wait.id).collect(Collectors.toSet());
        boolean known = found.equals(reported);
        long delay = Math.max(known ? untilRepeated(now) : 0, paidUntil + REPORT_NANOS - now);
        if (delay > 0) {
            return delay;
        }
        List<WaitReport> reports = reports(due);
        reportedTwice = known;
        reportedAt = now;
        reported = found;
        long saved = now - MAX_IN_A_ROW * REPORT_NANOS;
        paidUntil = (paidUntil - saved < 0 ? saved : paidUntil) + REPORT_NANOS;
        try {
            client.store().recordWaits(client.id(), reports);
        } catch (RuntimeException e) { // a client that is being closed as well
            log.debug("This client's waits could not be recorded, so a deadlock may go undetected", e);
        }
        return isIdle() ? -1 : YOUNG_NANOS;
    }

    private boolean isIdle() {
        return waits.isEmpty() && reported.isEmpty();
    }

    /** How long until what is reported has to be repeated, or another wait is old enough. */
    private long untilRepeated(long now) {
        long again = reported.isEmpty()
                ? REPORT_NANOS
                : reportedAt + (reportedTwice ? REPORT_NANOS : SECOND_REPORT_NANOS) - now;
        return waits.values().stream()
                .mapToLong(wait -> wait.begunAt + YOUNG_NANOS - now)
                .filter(left -> left > 0)
                .reduce(again, Math::min);
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
        closed = true;
        if (timer != null) {
            timer.close();
        }
        thread.shutdown();
    }
}
