package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Ticker;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one watchdog of a client: renews leases, and says in time when one is lost.
 *
 * <pre>
 *   watch(lease) ──► alarms, ordered by time ──► clock thread ──► due for renewal ──► RenewalLoop ──► store
 *                          ▲                        │ deadline passed: LOST                 │
 *                          │                        │ thread dead: abandoned                │
 *                          └──────── next alarm ────┴───────────────────────────────────────┘
 * </pre>
 *
 * <p>Each open lease has one alarm: the earliest of its next renewal, its deadline, and its warning. The clock thread
 * never does I/O, so it declares a loss on time even while a renewal hangs. When it finds a renewal due, it takes along
 * those that would be due soon (within a twelfth of their lease), so renewals of many leases fall into step and share
 * calls.
 *
 * <p>No alarm is missed: whoever adds one first adds it to the set and then compares it with the time that the clock
 * thread plans to wake at; the clock thread first publishes that plan and then looks at the set again before it parks.
 * Both are volatile accesses, so at least one sees the other. Alarms of one lease are replaced by one thread at a time,
 * from the state it finds then, so an older plan never replaces a newer one.
 *
 * <p>Thread-safe. Its two threads start with the first lease.
 */
public final class LeaseKeeper implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

    private static final long AFTER_ERROR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long WIDEST_WINDOW_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int RENEWALS_A_LEASE = 3;
    private static final int WINDOWS_A_LEASE = 12;

    /** When to look at a lease again. Ordered by time, by difference since the ticker may wrap. */
    record Alarm(long at, long number, Lease lease) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            long byTime = at - other.at;
            return byTime != 0 ? Long.signum(byTime) : Long.compare(number, other.number);
        }
    }

    private final ConcurrentSkipListSet<Alarm> alarms = new ConcurrentSkipListSet<>();
    private final AtomicLong numbers = new AtomicLong();
    private final Ticker ticker;
    private final LeaseEvents events;
    private final RenewalLoop renewals;
    private final KeeperThreads threads;
    private volatile long plannedWake;
    private volatile boolean closed;

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
        this.renewals = new RenewalLoop(store, events, ticker, this::planAfterRenewal);
        this.threads = withThreads ? new KeeperThreads(this::clock, renewals::run) : KeeperThreads.none();
    }

    /**
     * Looks after a lease until it is closed or lost.
     *
     * @param lease a lease that was just granted
     */
    public void watch(Lease lease) {
        lease.renewAt = ticker.nanos() + lease.leaseNanos() / RENEWALS_A_LEASE;
        plan(lease);
        threads.ensureStarted();
    }

    /**
     * A lease was closed.
     *
     * @param lease the lease; forgetting twice does no harm
     */
    public void forget(Lease lease) {
        synchronized (lease) {
            replaceAlarm(lease, null);
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

    /** Ends the watch: nothing is renewed any more. */
    @Override
    public void close() {
        closed = true;
        renewals.close();
        threads.stop();
    }

    /** The open leases that have an alarm, for tests: while the threads run, some are between two alarms. */
    List<Lease> watched() {
        return alarms.stream()
                .map(Alarm::lease)
                .filter(Lease::isOpen)
                .distinct()
                .toList();
    }

    private void clock() {
        while (!closed) {
            long wake = tickGuarded();
            plannedWake = wake;
            if (firstAlarmAt(wake) - wake >= 0) {
                LockSupport.parkNanos(this, wake - ticker.nanos());
            }
        }
    }

    /** Whatever goes wrong, the clock goes on: it is all that tells other holders of their losses. */
    private long tickGuarded() {
        try {
            return tick();
        } catch (RuntimeException | Error e) {
            log.error("The clock of the locks met an error and goes on", e);
            return ticker.nanos() + AFTER_ERROR_NANOS;
        }
    }

    /** Handles every alarm that is due, and tells when the next one is. */
    long tick() {
        long now = ticker.nanos();
        boolean renewing = false;
        for (Alarm next = firstAlarm(); next != null && next.at - now <= 0; next = firstAlarm()) {
            alarms.remove(next);
            renewing |= handle(next.lease, now);
        }
        if (renewing) {
            takeAlong(now);
            renewals.wake();
        }
        return firstAlarmAt(now + IDLE_NANOS);
    }

    void renewDue() {
        renewals.renewPending();
    }

    /** Returns whether the lease is now to be renewed. */
    private boolean handle(Lease lease, long now) {
        if (!lease.isOpen() || lease.loss() != null) {
            return false;
        }
        if (lease.isBoundThreadDead()) {
            lease.lose(LossCause.THREAD_DIED);
            lease.abandon();
            events.abandoned(lease);
            return false;
        }
        if (!lease.longHoldReported && lease.heldNanos() >= lease.terms().warnAfterNanos()) {
            lease.longHoldReported = true;
            events.longHeld(new LockEvent.LongHeld(lease.key(), lease.token(), lease.held()));
        }
        boolean due = lease.isRenewing() && !lease.renewalPending && lease.renewAt - now <= 0;
        if (due) {
            renewals.add(lease);
        }
        plan(lease);
        return due;
    }

    private void takeAlong(long now) {
        for (Alarm alarm : alarms) {
            if (alarm.at - now > WIDEST_WINDOW_NANOS) {
                return;
            }
            Lease lease = alarm.lease;
            long window = lease.leaseNanos() / WINDOWS_A_LEASE;
            if (lease.isRenewing() && !lease.renewalPending && lease.renewAt - now <= window && lease.isLive()) {
                renewals.add(lease);
                plan(lease);
            }
        }
    }

    private void planAfterRenewal(Lease lease, long renewAt) {
        lease.renewAt = renewAt;
        lease.renewalPending = false;
        plan(lease);
    }

    /** Sets the lease's one alarm to the next moment that matters to it; one thread at a time for each lease. */
    private void plan(Lease lease) {
        long at;
        synchronized (lease) {
            at = nextMoment(lease);
            replaceAlarm(lease, lease.isOpen() ? new Alarm(at, numbers.incrementAndGet(), lease) : null);
        }
        if (at - plannedWake < 0) {
            threads.wakeClock();
        }
    }

    private long nextMoment(Lease lease) {
        long at = lease.deadline();
        if (lease.isRenewing() && !lease.renewalPending) {
            at = earlier(at, lease.renewAt);
        }
        if (!lease.longHoldReported) {
            long untilWarning = Math.max(0, lease.terms().warnAfterNanos() - lease.heldNanos());
            at = earlier(at, ticker.nanos() + untilWarning);
        }
        return at;
    }

    private void replaceAlarm(Lease lease, @Nullable Alarm next) {
        Alarm former = lease.alarm;
        if (former != null) {
            alarms.remove(former);
        }
        lease.alarm = next;
        if (next != null) {
            alarms.add(next);
        }
    }

    private @Nullable Alarm firstAlarm() {
        var all = alarms.iterator();
        return all.hasNext() ? all.next() : null;
    }

    private long firstAlarmAt(long otherwise) {
        Alarm first = firstAlarm();
        return first == null ? otherwise : earlier(first.at, otherwise);
    }

    private static long earlier(long a, long b) {
        return a - b <= 0 ? a : b;
    }
}
