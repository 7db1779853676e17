package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one watchdog of a client: renews leases, and says in time when one is lost.
 *
 * <pre>
 *   watch(lease) ──► alarms, ordered by time ──► clock thread ──► due for renewal ──► workers ──► store
 *                          ▲                        │ deadline passed: LOST                 │
 *                          │                        │ thread dead: abandoned                │
 *                          └──────── next alarm ────┴───────────────────────────────────────┘
 * </pre>
 *
 * <p>Each open lease has one alarm: the earliest of its next renewal, its deadline, and its warning. Leases that were
 * renewed together have one in common, see {@link Batch}. The clock thread never does I/O, so it declares a loss on time
 * even while a renewal hangs. When it finds a renewal due, it takes along those that would be due soon (within a twelfth of
 * their lease), so renewals of many leases fall into step and share calls.
 *
 * <p>No alarm is missed: whoever adds one first adds it to the set and then compares it with the time that the clock
 * thread plans to wake at; the clock thread first publishes that plan and then looks at the set again before it parks.
 * Both are volatile accesses, so at least one sees the other. The alarm of a lease, or of a batch, is replaced under its
 * monitor, from the state that it has then, so an older plan never replaces a newer one; in the same way a lease leaves its
 * batch in the step that gives it an alarm of its own, or none since it is closed.
 *
 * <p>A lease that is not to be renewed is looked at as often as others are renewed, see {@link RenewalLoop}, so its loss is
 * noticed as soon.
 *
 * <p>Each server that the store tells apart has a worker, with a thread of its own ({@link ServerWorkers}). So while one
 * server hangs, the locks on the others are renewed on time.
 *
 * <p>Thread-safe. Its threads start with the first lease.
 */
public final class LeaseKeeper implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

    private static final long AFTER_ERROR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long WIDEST_WINDOW_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int WINDOWS_A_LEASE = 12;
    private static final long LONG_HOLD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long BETWEEN_DOUBTS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Longer than renewals of the usual leases are apart, so that no thread is started for each. */
    private static final Duration WORKER_IDLE = Duration.ofMinutes(10);

    private final Alarms alarms = new Alarms();
    private final Ticker ticker;
    private final LeaseEvents events;
    private final LockStore store;
    private final ServerWorkers<Batch> renewals;
    private final @Nullable ClockThread clockThread;
    private volatile long plannedWake;
    private volatile boolean closed;
    private volatile @Nullable Runnable firstLongHold;

    /**
     * Creates an instance.
     *
     * @param store renews the leases
     * @param events is told what happens to them
     * @param ticker the clock
     */
    public LeaseKeeper(LockStore store, LeaseEvents events, Ticker ticker) {
        this(store, events, ticker, true);
    }

    /** Without threads, {@link #tick()} and {@link #renewDue()} are called by the owner: for tests on virtual time. */
    LeaseKeeper(LockStore store, LeaseEvents events, Ticker ticker, boolean withThreads) {
        this.events = events;
        this.ticker = ticker;
        this.plannedWake = ticker.nanos() + IDLE_NANOS;
        this.store = store;
        this.renewals = new ServerWorkers<>(
                "holdfast-renewal",
                WORKER_IDLE,
                () -> new RenewalLoop(store, events, ticker, new AfterRenewal()),
                withThreads);
        this.clockThread = withThreads ? new ClockThread(this::clock) : null;
    }

    /**
     * Looks after a lease until it is closed or lost. If it was {@linkplain #doubt doubted} before, it is asked for at once.
     *
     * @param lease a lease that was just granted, or handed off
     */
    public void watch(Lease lease) {
        long first = firstRenewal(lease);
        synchronized (lease) {
            if (!lease.doubted) {
                lease.renewAt = first;
            }
            plan(lease);
        }
        if (clockThread != null) {
            clockThread.ensureStarted();
        }
    }

    /**
     * After a third of the lease. One that is shorter as yet, because it was granted by a message and is to be confirmed,
     * or was handed off late, is renewed soon; not at once, so that locks that are held briefly need no renewal.
     */
    private long firstRenewal(Lease lease) {
        long now = ticker.nanos();
        long leaseNanos = lease.leaseNanos();
        long planned = lease.deadline() - leaseNanos + leaseNanos / RenewalLoop.RENEWALS_A_LEASE;
        long soon = now + Math.min(SOON_NANOS, (lease.deadline() - now) / RenewalLoop.RENEWALS_A_LEASE);
        return planned - soon > 0 ? planned : soon;
    }

    /**
     * A lease was closed.
     *
     * @param lease the lease; forgetting twice does no harm
     */
    public void forget(Lease lease) {
        synchronized (lease) {
            lease.batch = null;
            alarms.remove(lease.alarm);
            lease.alarm = null;
        }
    }

    /**
     * The terms of a watched lease have changed.
     *
     * @param lease the lease
     */
    public void reconsider(Lease lease) {
        plan(lease);
    }

    /**
     * Somebody says that the store has taken a lease away. Whoever may publish can say so, so it is not believed: the store is
     * asked at once, by a renewal, whose answer decides. A renewal that is under way does not count, since it may have been
     * answered before. For one lease that happens every 100 ms at most, whatever is said.
     *
     * @param lease a lease that is watched, or is about to be
     */
    public void doubt(Lease lease) {
        synchronized (lease) {
            if (!lease.doubted && lease.isOpen()) {
                lease.doubted = true;
                if (!lease.renewalPending) {
                    lease.renewAt = askAgainAt(lease);
                    plan(lease);
                }
            }
        }
    }

    private long askAgainAt(Lease lease) {
        long at = Alarms.later(ticker.nanos(), lease.doubtableAt);
        lease.doubtableAt = at + BETWEEN_DOUBTS_NANOS;
        return at;
    }

    /**
     * Has the action run once, when some lease has been held for a second.
     *
     * @param action must not block: runs on the clock thread
     */
    public void onFirstLongHold(Runnable action) {
        firstLongHold = action;
    }

    private void noticeLongHold(Lease lease, long now) {
        Runnable action = firstLongHold;
        if (action != null && now - lease.heldSince() >= LONG_HOLD_NANOS) {
            firstLongHold = null;
            action.run();
        }
    }

    /** Ends the watch: nothing is renewed any more. */
    @Override
    public void close() {
        closed = true;
        renewals.close();
        if (clockThread != null) {
            clockThread.stop();
        }
    }

    /** The open leases that have an alarm, for tests: while the threads run, some are between two alarms. */
    List<Lease> watched() {
        List<Lease> watched = new ArrayList<>();
        for (Alarms.Alarm alarm : alarms) {
            if (alarm.subject() instanceof Batch batch) {
                batch.leases().stream().filter(batch::has).forEach(watched::add);
            } else if (alarm.subject() instanceof Lease lease) {
                watched.add(lease);
            }
        }
        return watched.stream().filter(Lease::isOpen).distinct().toList();
    }

    private void clock() {
        while (!closed) {
            long wake = tickGuarded();
            plannedWake = wake;
            if (alarms.firstAt(wake) - wake >= 0) {
                LockSupport.parkNanos(this, wake - ticker.nanos());
                Thread.interrupted(); // a stray one would end every pause at once
            }
        }
    }

    /** Whatever goes wrong, the clock goes on: it is all that tells other holders of their losses. */
    private long tickGuarded() {
        try {
            return tick();
        } catch (RuntimeException | Error e) {
            log.error("Unexpected error on holdfast-clock; continuing", e);
            return ticker.nanos() + AFTER_ERROR_NANOS;
        }
    }

    /** Handles every alarm that is due, and tells when the next one is. */
    long tick() {
        long now = ticker.nanos();
        Due due = new Due();
        for (Alarms.Alarm next = alarms.pollDue(now); next != null; next = alarms.pollDue(now)) {
            if (next.subject() instanceof Batch batch) {
                handle(batch, now, due);
            } else if (next.subject() instanceof Lease lease && handle(lease, now)) {
                due.leases.add(lease);
            }
        }
        if (!due.isEmpty()) {
            takeAlong(now, due);
            List<Batch> batches = new ArrayList<>(due.batches);
            due.batches.forEach(batch -> renewAgain(batch, now));
            renewTogether(due.leases, now, batches);
            batches.stream().collect(Collectors.groupingBy(Batch::server)).forEach(renewals::add);
        }
        return alarms.firstAt(now + IDLE_NANOS);
    }

    void renewDue() {
        renewals.workPending();
    }

    /** What is to be renewed now: batches as they are, and leases that are put into new ones. */
    private final class Due {

        final List<Batch> batches = new ArrayList<>();
        final List<Lease> leases = new ArrayList<>();

        boolean isEmpty() {
            return batches.isEmpty() && leases.isEmpty();
        }

        /** A batch stays as it is if it is whole, big enough, and nothing of it has moved to another server. */
        void add(Batch batch, List<Lease> dueNow) {
            if (dueNow.size() == batch.leases().size()
                    && dueNow.size() > RenewalLoop.MOST_AT_ONCE / 2
                    && dueNow.stream().allMatch(lease -> serverOf(lease).equals(batch.server()))) {
                batches.add(batch);
            } else {
                leases.addAll(dueNow);
            }
        }
    }

    private void handle(Batch batch, long now, Due due) {
        if (batch.pending) {
            watchDeadlines(batch, now);
            return;
        }
        List<Lease> dueNow = new ArrayList<>(batch.leases().size());
        for (Lease lease : batch.leases()) {
            if (batch.has(lease) && handle(lease, now)) {
                dueNow.add(lease);
            }
        }
        due.add(batch, dueNow);
    }

    /** Returns whether the lease is due for renewal. If not, sets its next alarm, or leaves it alone for ever. */
    private boolean handle(Lease lease, long now) {
        if (!isLive(lease, now)) {
            forget(lease);
            return false;
        }
        if (lease.isBoundThreadDead()) {
            lease.lose(LossCause.THREAD_DIED);
            lease.abandon();
            forget(lease);
            events.abandoned(lease);
            return false;
        }
        if (!lease.longHoldReported && lease.warnAt() - now <= 0) {
            lease.longHoldReported = true;
            events.longHeld(new LockEvent.LongHeld(lease.key(), lease.name(), lease.token(), lease.held()));
        }
        noticeLongHold(lease, now);
        boolean due = isDue(lease, now, 0);
        if (!due) {
            plan(lease);
        }
        return due;
    }

    private static boolean isLive(Lease lease, long now) {
        return lease.isOpen() && lease.loss(now) == null;
    }

    private static boolean isDue(Lease lease, long now, long window) {
        return lease.renewAt - now <= window && !lease.renewalPending;
    }

    private static boolean isDueSoon(Lease lease, long now) {
        return isDue(lease, now, lease.leaseNanos() / WINDOWS_A_LEASE) && isLive(lease, now);
    }

    private void takeAlong(long now, Due due) {
        for (Alarms.Alarm alarm : alarms) {
            if (alarm.at() - now > WIDEST_WINDOW_NANOS) {
                return;
            }
            if (alarm.subject() instanceof Lease lease) {
                if (isDueSoon(lease, now)) {
                    due.leases.add(lease);
                }
            } else if (alarm.subject() instanceof Batch batch && !batch.pending) {
                due.add(
                        batch,
                        batch.leases().stream()
                                .filter(lease -> batch.has(lease) && isDueSoon(lease, now))
                                .toList());
            }
        }
    }

    private void renewAgain(Batch batch, long now) {
        synchronized (batch) {
            batch.pending = true;
        }
        for (Lease lease : batch.leases()) {
            lease.renewalPending = true;
        }
        watchDeadlines(batch, now);
    }

    private String serverOf(Lease lease) {
        return store.serverOf(lease.key());
    }

    /** For each server; those of the same length stay together. */
    private void renewTogether(List<Lease> leases, long now, List<Batch> batches) {
        Map<String, List<Lease>> byServer = new HashMap<>();
        leases.forEach(lease -> byServer.computeIfAbsent(serverOf(lease), server -> new ArrayList<>())
                .add(lease));
        byServer.forEach((server, theirs) -> renewTogether(server, theirs, now, batches));
    }

    private void renewTogether(String server, List<Lease> leases, long now, List<Batch> batches) {
        leases.sort(Comparator.comparingLong(Lease::leaseNanos));
        for (int from = 0; from < leases.size(); from += RenewalLoop.MOST_AT_ONCE) {
            int to = Math.min(leases.size(), from + RenewalLoop.MOST_AT_ONCE);
            Batch batch = new Batch(server, leases.subList(from, to));
            batch.leases().forEach(lease -> join(batch, lease));
            watchDeadlines(batch, now);
            batches.add(batch);
        }
    }

    private void join(Batch batch, Lease lease) {
        synchronized (lease) {
            alarms.remove(lease.alarm);
            lease.alarm = null;
            lease.batch = batch;
            lease.renewalPending = true;
            lease.doubted = false;
        }
    }

    /**
     * While the leases are being renewed, each is lost at its deadline. The clock thread, which calls this, looks at the
     * alarms before it sleeps.
     */
    private void watchDeadlines(Batch batch, long now) {
        boolean any = false;
        long at = 0;
        for (Lease lease : batch.leases()) {
            if (batch.has(lease) && isLive(lease, now)) {
                at = any ? Alarms.earlier(at, lease.deadline()) : lease.deadline();
                any = true;
            }
        }
        synchronized (batch) {
            if (any && batch.pending) {
                batch.alarm = alarms.replace(batch.alarm, at, batch);
            }
        }
    }

    /** Sets the next alarm of those that were renewed. */
    private final class AfterRenewal implements RenewalLoop.Planner {

        @Override
        public void renewAt(Lease lease, long nanos) {
            synchronized (lease) {
                lease.renewAt = lease.doubted ? askAgainAt(lease) : nanos;
                lease.renewalPending = false;
                plan(lease);
            }
        }

        @Override
        public boolean renewAt(Lease lease, Batch batch, long nanos) {
            synchronized (lease) {
                lease.renewAt = lease.doubted ? askAgainAt(lease) : nanos;
                lease.renewalPending = false;
                boolean stays = batch.has(lease) && nextMoment(lease) == batch.renewAt;
                if (!stays) {
                    plan(lease);
                }
                return stays;
            }
        }

        @Override
        public void renewed(Batch batch, boolean anyStays) {
            synchronized (batch) {
                batch.pending = false;
                alarms.remove(batch.alarm);
                batch.alarm = anyStays ? alarms.replace(null, batch.renewAt, batch) : null;
            }
            if (anyStays) {
                wakeFor(batch.renewAt);
            }
        }
    }

    /** Gives the lease an alarm of its own, for the next moment that matters to it. */
    private void plan(Lease lease) {
        long at;
        synchronized (lease) {
            if (!lease.isOpen()) {
                forget(lease);
                return;
            }
            at = nextMoment(lease);
            lease.batch = null;
            lease.alarm = alarms.replace(lease.alarm, at, lease);
        }
        wakeFor(at);
    }

    private void wakeFor(long at) {
        if (at - plannedWake < 0 && clockThread != null) {
            clockThread.wake();
        }
    }

    private long nextMoment(Lease lease) {
        long at = lease.deadline();
        if (!lease.renewalPending) {
            at = Alarms.earlier(at, lease.renewAt);
        }
        if (firstLongHold != null) {
            at = Alarms.earlier(at, lease.heldSince() + LONG_HOLD_NANOS);
        }
        return lease.longHoldReported ? at : Alarms.earlier(at, lease.warnAt());
    }
}
