package io.holdfast.lock.lease;

import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watchdog of a client: renews leases, and reports losses in time.
 *
 * <pre>
 *   watch(lease) ──► alarms, ordered by time ──► clock thread ──► due for renewal ──► workers ──► store
 *                          ▲                        │ deadline passed: LOST                 │
 *                          │                        │ thread dead: LOST, abandoned          │
 *                          └──────── next alarm ────┴───────────────────────────────────────┘
 * </pre>
 *
 * <p>Each watched lease is in a {@link Batch}, and each batch has one alarm: {@link LeaseSchedule} explains which and when, and
 * why no lease is without one; {@link ClockThread} explains why no alarm is missed. The clock thread never does I/O, so it declares a loss on time
 * even while a renewal hangs. When it finds a renewal due, it includes those that are due soon ({@link DueLeases}), so renewals
 * of many leases synchronize and share calls. The {@link RenewalLoop} makes these calls.
 *
 * <p>A lease that is not renewed is checked as often as others are renewed, see {@link RenewalLoop}, so its loss is noticed as
 * soon.
 *
 * <p>Each server of the store has a worker, with a thread of its own ({@link ServerWorkers}). So while one
 * server hangs, the locks on the others are renewed on time.
 *
 * <p>Thread-safe: all mutable state is in the classes named here. Its threads start with the first lease.
 */
public final class LeaseKeeper implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

    private static final long AFTER_ERROR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Longer than the interval between renewals of usual leases, so that threads are reused. */
    private static final Duration WORKER_IDLE = Duration.ofMinutes(10);

    private final Alarms<Batch<Lease>> alarms = new Alarms<>();
    private final Ticker ticker;
    private final LeaseEvents events;
    private final LockStore store;
    private final LongHolds longHolds;
    private final LeaseSchedule schedule;
    private final ServerWorkers<Batch<Lease>> renewals;
    private final ClockThread clock;
    private final boolean withThreads;

    /**
     * Creates an instance.
     *
     * @param store renews the leases
     * @param events is notified of renewals, failures and losses
     * @param ticker the clock
     */
    public LeaseKeeper(LockStore store, LeaseEvents events, Ticker ticker) {
        this(store, events, ticker, true);
    }

    /** Without threads, {@link #tick()} and {@link #renewDue()} are called by the owner: for tests on virtual time. */
    LeaseKeeper(LockStore store, LeaseEvents events, Ticker ticker, boolean withThreads) {
        this.store = store;
        this.events = events;
        this.ticker = ticker;
        this.withThreads = withThreads;
        this.clock = new ClockThread(alarms, ticker, this::tick);
        this.longHolds = new LongHolds(events);
        this.schedule = new LeaseSchedule(alarms, ticker, longHolds, clock::wakeFor);
        this.renewals = new ServerWorkers<>(
                "holdfast-renewal", WORKER_IDLE, () -> new RenewalLoop(store, events, ticker, schedule), withThreads);
    }

    /**
     * Watches a lease until it is closed or lost. If it was {@linkplain #doubt doubted} before, the store is asked about it
     * immediately.
     *
     * @param lease a lease that was just granted, or handed off
     */
    public void watch(Lease lease) {
        schedule.watch(lease);
        if (withThreads) {
            clock.ensureStarted();
        }
    }

    /**
     * A lease was closed.
     *
     * @param lease the lease; forgetting twice does no harm
     */
    public void forget(Lease lease) {
        schedule.forget(lease);
    }

    /**
     * The terms of a watched lease have changed.
     *
     * @param lease the lease
     */
    public void reconsider(Lease lease) {
        schedule.lookAlone(lease);
    }

    /**
     * A message says that the store has taken a lease away. Every user who may publish can send it, so it is not trusted: a
     * renewal asks the store immediately, and its reply decides. A renewal in progress does not count, since it may have been
     * processed before. This happens at most every 100 ms for each lease.
     *
     * @param lease a lease that is watched, or is about to be
     */
    public void doubt(Lease lease) {
        schedule.doubt(lease);
    }

    /**
     * Runs the action once, when any lease has been held for a second.
     *
     * @param action must not block: runs on the clock thread
     */
    public void onFirstLongHold(Runnable action) {
        longHolds.onFirst(action);
    }

    /** Stops: leases are no longer renewed. */
    @Override
    public void close() {
        renewals.close();
        clock.stop();
    }

    /** The open leases that have an alarm, for tests. */
    List<Lease> watched() {
        return schedule.watched();
    }

    /** Handles every alarm that is due, and returns when the next one is. After an error, none of them is forgotten. */
    long tick() {
        long now = ticker.nanos();
        List<Batch<Lease>> taken = new ArrayList<>();
        try {
            DueLeases due = new DueLeases(store, now);
            for (Alarms.Alarm<Batch<Lease>> next = alarms.pollDue(now); next != null; next = alarms.pollDue(now)) {
                taken.add(next.subject());
                handle(next.subject(), now, due);
            }
            if (!due.isEmpty()) {
                due.takeAlong(alarms);
                due.renew(schedule).forEach(renewals::add);
            }
        } catch (RuntimeException | Error e) {
            schedule.lookAgain(taken, now + AFTER_ERROR_NANOS);
            log.error("Unexpected error in thread holdfast-clock; continuing", e);
        }
        return alarms.firstAt(now + IDLE_NANOS);
    }

    void renewDue() {
        renewals.workPending();
    }

    private void handle(Batch<Lease> batch, long now, DueLeases due) {
        if (batch.isBeingRenewed()) {
            schedule.lookAtDeadlines(batch, now);
            return;
        }
        List<Lease> dueNow = new ArrayList<>(batch.leases().size());
        for (Lease lease : batch.leases()) {
            if (!lease.isIn(batch) || isOver(lease, now)) {
                continue;
            }
            longHolds.look(lease, now);
            if (due.isDue(lease)) {
                dueNow.add(lease);
            } else {
                schedule.lookAlone(lease);
            }
        }
        due.add(batch, dueNow);
    }

    /** Whether the lease needs no more checks: it is closed, lost, or abandoned by this method. */
    private boolean isOver(Lease lease, long now) {
        if (!lease.isLive(now)) {
            forget(lease);
            return true;
        }
        if (lease.isBoundThreadDead()) {
            lease.lose(LossCause.THREAD_DIED);
            lease.abandon();
            forget(lease);
            events.abandoned(lease);
            return true;
        }
        return false;
    }
}
