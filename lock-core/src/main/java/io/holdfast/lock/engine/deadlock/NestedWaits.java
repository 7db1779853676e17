package io.holdfast.lock.engine.deadlock;

import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.overview.WaitReport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
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
 * <p>Reports are bounded: the oldest {@value #MOST_WAITS} waits, {@value #MOST_HOLDS} holds of each, and {@value
 * #MOST_CHARACTERS} characters of keys.
 */
public final class NestedWaits {

    private static final Logger log = LoggerFactory.getLogger(NestedWaits.class);

    private static final int MOST_WAITS = 64;
    public static final int MOST_HOLDS = 32;
    private static final int MOST_CHARACTERS = 100_000;

    private static final long YOUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long SECOND_REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientContext client;
    private final boolean ownThread;
    private final ThreadFactory threads;
    private final AtomicLong ids = new AtomicLong();
    private final Map<Long, Wait> waits = new ConcurrentSkipListMap<>();
    private @Nullable WritePace pace;
    private Set<Long> reported = Set.of();
    private boolean reportedTwice;
    private long reportedAt;

    /** Guarded by this monitor, which the thread holds neither while it calls the store nor while it pauses. */
    private @Nullable Thread thread;

    private volatile boolean closed;

    /** A caller that waits. */
    @FunctionalInterface
    public interface Waiting {

        /** What it holds and waits for now. Called on another thread. */
        NestedWait describe();
    }

    /** @param ownThread whether a thread reports the waits; if not, the owner calls {@link #tick} */
    public NestedWaits(ClientContext client, boolean ownThread) {
        this(client, ownThread, DaemonThreads.named("holdfast-waits"));
    }

    NestedWaits(ClientContext client, boolean ownThread, ThreadFactory threads) {
        this.client = client;
        this.ownThread = ownThread;
        this.threads = threads;
    }

    /** Called when a caller that holds locks starts to wait. */
    public Wait begin(Waiting waiting) {
        Wait wait = new Wait(ids.incrementAndGet(), waiting, client.ticker().nanos());
        waits.put(wait.id, wait);
        wake();
        return wait;
    }

    /** A wait, which its caller begins and ends. */
    public final class Wait {

        private final long id;
        private final Waiting waiting;
        private final long begunAt;
        private volatile long keptUntil;
        private volatile boolean ended;
        private volatile @Nullable NestedWait last;

        private Wait(long id, Waiting waiting, long begunAt) {
            this.id = id;
            this.waiting = waiting;
            this.begunAt = begunAt;
        }

        /** Never 0. */
        public long id() {
            return id;
        }

        /** The wait has acquired its lock or failed, and is forgotten. */
        public void end() {
            ended = true;
            waits.remove(id);
            wake();
        }

        /** The wait ended without the lock; others in its cycle can name it for another second. */
        public void endInVain() {
            keptUntil = client.ticker().nanos() + KEEP_NANOS;
            ended = true;
            if (last == null) {
                waits.remove(id);
            }
            wake();
        }

        /**
         * Reports the wait only if it was still going on after it was described, because the caller may acquire more locks
         * once it has ended.
         */
        private @Nullable WaitReport report() {
            NestedWait seen = waiting.describe();
            if (!ended) {
                last = seen;
            }
            NestedWait reported = last;
            return reported == null ? null : new WaitReport(id, ended, reported);
        }

        private boolean isOver(long now) {
            return ended && now - keptUntil >= 0;
        }
    }

    private void wake() {
        if (!ownThread || closed) {
            return;
        }
        synchronized (this) {
            if (thread != null) {
                LockSupport.unpark(thread);
            } else if (!waits.isEmpty()) {
                start();
            }
        }
    }

    /**
     * If the thread cannot be started for lack of memory, the next wait starts it. The caller still acquires its lock.
     */
    private void start() {
        try {
            Thread starting = threads.newThread(this::run);
            starting.start();
            thread = starting;
        } catch (RuntimeException | Error e) {
            log.debug("Could not start thread holdfast-waits, so a deadlock may go undetected", e);
        }
    }

    private void run() {
        try {
            while (!closed) {
                long left = tickGuarded();
                if (left >= 0) {
                    LockSupport.parkNanos(this, left);
                } else if (isIdle()) {
                    return;
                }
            }
        } finally {
            ended();
        }
    }

    /** Also after an {@link Error}: the next wait starts another thread. */
    private synchronized void ended() {
        if (thread == Thread.currentThread()) {
            thread = null;
        }
    }

    private synchronized boolean isIdle() {
        boolean idle = waits.isEmpty() && reported.isEmpty();
        if (idle) {
            thread = null;
        }
        return idle;
    }

    private long tickGuarded() {
        try {
            return tick();
        } catch (RuntimeException e) {
            log.error("Unexpected error in thread holdfast-waits; continuing", e);
            return REPORT_NANOS;
        }
    }

    /**
     * Sends the reports that are due. Called by one thread at a time.
     *
     * @return the time in nanoseconds until the next report is due, if nothing changes; negative if none ever is
     */
    public long tick() {
        long now = client.ticker().nanos();
        waits.values().removeIf(wait -> wait.isOver(now));
        List<Wait> due = waits.values().stream()
                .filter(wait -> now - wait.begunAt >= YOUNG_NANOS)
                .limit(MOST_WAITS)
                .toList();
        if (waits.isEmpty() && reported.isEmpty()) {
            return -1;
        }
        WritePace mine = pace == null ? new WritePace(now) : pace;
        pace = mine;
        long delay = Math.max(delay(due, now), mine.delay(now));
        if (delay > 0) {
            return delay;
        }
        mine.called(now);
        report(due, now);
        return waits.isEmpty() && reported.isEmpty() ? -1 : YOUNG_NANOS;
    }

    private long delay(List<Wait> due, long now) {
        Set<Long> ids = new HashSet<>();
        due.forEach(wait -> ids.add(wait.ended ? -wait.id : wait.id));
        if (!ids.equals(reported)) {
            return 0;
        }
        long next = ids.isEmpty()
                ? Long.MAX_VALUE
                : reportedAt + (reportedTwice ? REPORT_NANOS : SECOND_REPORT_NANOS) - now;
        long young = waits.values().stream()
                .mapToLong(wait -> wait.begunAt + YOUNG_NANOS - now)
                .filter(left -> left > 0)
                .min()
                .orElse(Long.MAX_VALUE);
        return Math.min(Math.min(next, young), REPORT_NANOS);
    }

    private void report(List<Wait> due, long now) {
        Set<Long> ids = new HashSet<>();
        due.forEach(wait -> ids.add(wait.ended ? -wait.id : wait.id));
        List<WaitReport> reports = reports(due);
        reportedTwice = ids.equals(reported);
        reportedAt = now;
        reported = ids;
        try {
            client.store().recordWaits(client.id(), reports);
        } catch (RuntimeException e) { // a client that is being closed as well
            log.debug("This client's waits could not be recorded, so a deadlock may go undetected", e);
        }
    }

    private static List<WaitReport> reports(List<Wait> due) {
        List<WaitReport> reports = new ArrayList<>(due.size());
        int characters = 0;
        for (Wait wait : due) {
            WaitReport report = wait.report();
            int more = report == null ? 0 : characters(report.what());
            if (report != null && characters + more <= MOST_CHARACTERS) {
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
    public void close() {
        closed = true;
        synchronized (this) {
            LockSupport.unpark(thread);
        }
    }
}
