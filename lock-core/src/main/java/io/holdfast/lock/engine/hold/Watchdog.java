package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.client.ServerWorkers;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.waiting.LocalQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watchdog of a client: renews leases, and reports losses in time.
 *
 * <pre>
 *   watch(hold) ──► lookAt ──► clock thread ──► due for renewal ──► per-server workers ──► store
 *                     ▲            │ deadline passed: LOST                 │
 *                     │            │ thread dead: LOST, abandoned          │
 *                     └────────────┴───────────────────────────────────────┘
 * </pre>
 *
 * <p>Each hold has a time for its next check: its next renewal, its deadline, or one of its warnings, whichever comes first. The
 * clock thread sleeps until the first of these times, and then goes through all holds. It never does I/O, so it declares a loss on
 * time even while a renewal hangs. Nothing is done for a hold that ends before its first check: it is no longer among the holds.
 *
 * <p><b>Shared calls.</b> When a renewal is due, others that are due within a twelfth of their lease are included. So the holds of a
 * client share time slots: they are renewed together, up to {@value LockStore#MAX_PER_CALL} in one call; from then on, the clock thread wakes
 * once per slot rather than once per hold, and renewals are spread over a third of the lease.
 *
 * <p>A lease that is not renewed is included in the same calls, to check whether the lock is still held, so a loss is detected just
 * as soon; it gets no new deadline. A failed call is repeated after a tenth of each lease (10 ms to 1 s), until the clock thread
 * declares the loss. A new deadline is counted from before the call was sent.
 *
 * <p><b>No check is missed.</b> A thread that schedules a check first writes the time of the check, and then lowers the time of the next
 * wakeup to it. The clock thread first raises the time of the next wakeup, then reads the times of all checks, and lowers the time
 * of the wakeup to the earliest of them. All of these are volatile accesses. So if the time of the check is written before the time
 * of the wakeup is raised, the clock thread reads it; otherwise the lowered time of the wakeup stays.
 *
 * <p><b>Going through all holds takes time</b>: about 0.2 ms for 10,000. So this is done only when a check is due, not when one is
 * scheduled. After each pass, the clock thread rests for {@value #REST} times the duration of the pass, but for at most 100 ms. So it
 * uses at most 5 % of a core as long as a pass takes no more than 5 ms, and the report of a loss is delayed by at most one such rest.
 *
 * <p><b>Every open hold is looked at.</b> The time of the next check is determined under the monitor of the hold, from its state at
 * that moment. While a renewal is in progress, that time is the deadline at the latest; when the renewal ends, the next one is
 * planned, whatever the outcome.
 */
final class Watchdog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

    private static final int SLOTS_A_LEASE = 12;

    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long BETWEEN_DOUBTS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONG_HOLD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MIN_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MAX_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long AFTER_ERROR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);

    /** The clock thread rests for this many times the duration of its last pass through the holds, up to the limit below. */
    private static final int REST = 20;

    private static final long MAX_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Longer than the interval between renewals of typical leases, so that threads are reused. */
    private static final Duration RENEWER_IDLE = Duration.ofMinutes(10);

    private final HeldLocks locks;
    private final Consumer<LockEvent> events;
    private final Ticker ticker;
    private final ServerWorkers<Hold> renewals;
    final Thread clock = DaemonThreads.create(this::run, "holdfast-clock");

    /** When the clock thread goes through the holds next, unless it is resting until later. */
    private final AtomicLong wakeAt;

    private volatile boolean stopped;

    /** The queue that is subscribed to revocations, once a hold of this client has lasted for a second. */
    private volatile @Nullable LocalQueue listening;

    /**
     * @param events is notified of renewals, failures and long holds
     * @param renewers call the store
     */
    Watchdog(HeldLocks locks, Consumer<LockEvent> events, ExecutorService renewers) {
        this.locks = locks;
        this.events = events;
        this.ticker = locks.client.ticker;
        this.wakeAt = new AtomicLong(ticker.nanos());
        this.renewals = new ServerWorkers<>(renewers, LockStore.MAX_PER_CALL, due -> {
            renew(due.stream().filter(Hold::isLive).toList());
            return true;
        });
    }

    static ExecutorService threads() {
        return DaemonThreads.pool(Integer.MAX_VALUE, "holdfast-renewal", RENEWER_IDLE);
    }

    /**
     * Schedules the first check of a hold that is about to be recorded. A lease that is shorter for now, because it was granted by a
     * message and needs confirmation, or was handed off late, is renewed soon, but not immediately, so that briefly held locks need no
     * renewal.
     */
    void plan(Hold hold) {
        long now = ticker.nanos();
        long lease = hold.leaseNanos();
        long soon = now + Math.min(SOON_NANOS, (hold.deadline() - now) / Hold.RENEWALS_A_LEASE);
        hold.renewAt = later(hold.deadline() - lease + lease / Hold.RENEWALS_A_LEASE, soon);
        hold.lookAt = nextLook(hold);
    }

    /**
     * A message reports that the store has revoked a lock. Any user who may publish can send such a message, so it is not trusted:
     * a renewal is sent to the store immediately, and the reply decides. A renewal in progress does not count, since the store may
     * have processed it before the revocation. This happens at most once every 100 ms for each hold. Also called to renew a lease
     * whose next check would come too late.
     */
    void doubt(Hold hold) {
        synchronized (hold) {
            if (hold.doubted || !hold.isOpen()) {
                return;
            }
            hold.doubted = true;
            if (!hold.renewing) {
                hold.renewAt = askAgainAt(hold);
                hold.lookAt = nextLook(hold);
            }
        }
        wakeFor(hold);
    }

    private long askAgainAt(Hold hold) {
        long at = later(ticker.nanos(), hold.doubtableAt);
        hold.doubtableAt = at + BETWEEN_DOUBTS_NANOS;
        return at;
    }

    private long nextLook(Hold hold) {
        long at = hold.renewing ? hold.deadline() : earlier(hold.deadline(), hold.renewAt);
        at = hold.longHoldReported ? at : earlier(at, warnAt(hold));
        return listening == locks.client.queue() ? at : earlier(at, hold.grant.at() + LONG_HOLD_NANOS);
    }

    /** A year after the grant at most, so times can be compared by difference. */
    private static long warnAt(Hold hold) {
        return hold.grant.at() + hold.terms.warnAfterNanos();
    }

    private static long later(long a, long b) {
        return a - b >= 0 ? a : b;
    }

    private static long earlier(long a, long b) {
        return a - b <= 0 ? a : b;
    }

    // The clock thread.

    /** A hold was recorded, or its next check was scheduled. */
    void wakeFor(Hold hold) {
        if (lowerWakeAt(hold.lookAt)) {
            LockSupport.unpark(clock);
        }
    }

    private boolean lowerWakeAt(long at) {
        boolean lower = at - wakeAt.get() < 0;
        if (lower) {
            wakeAt.accumulateAndGet(at, Watchdog::earlier);
        }
        return lower;
    }

    /**
     * Continues after any error, even one that occurs while {@link #tick} handles another, because only this thread
     * notifies holders of their losses. Its pauses are measured in system time, since the clock of a test may stand still.
     */
    private void run() {
        long now = wakeAt.get();
        long restUntil = System.nanoTime();
        while (!stopped) {
            try {
                long began = System.nanoTime();
                now = ticker.nanos();
                long left = Math.max(wakeAt.get() - now, restUntil - began);
                if (left > 0) {
                    LockSupport.parkNanos(this, left);
                    Thread.interrupted(); // a stray interrupt would end every pause immediately
                } else {
                    tick();
                    long ended = System.nanoTime();
                    restUntil = ended + Math.min(REST * (ended - began), MAX_REST_NANOS);
                }
            } catch (RuntimeException | Error e) { // not logged: logging may be what failed
                wakeAt.set(now);
                LockSupport.parkNanos(this, AFTER_ERROR_NANOS);
            }
        }
    }

    /**
     * Looks at every hold that is due, and returns the time at which the next one is due. After an error, no hold is
     * forgotten.
     */
    long tick() {
        long now = ticker.nanos();
        wakeAt.set(now + IDLE_NANOS);
        List<Hold> due = new ArrayList<>();
        List<Hold> soon = new ArrayList<>();
        try {
            for (Hold hold : locks.all()) {
                long left = hold.lookAt - now;
                if (left <= hold.leaseNanos() / SLOTS_A_LEASE) {
                    (left <= 0 && look(hold, now) ? due : soon).add(hold);
                } else {
                    lowerWakeAt(hold.lookAt);
                }
            }
            coalesce(soon, due, now);
            due.forEach(hold -> lowerWakeAt(hold.lookAt));
            due.stream()
                    .collect(Collectors.groupingBy(hold -> locks.client.store.serverOf(hold.key())))
                    .forEach(renewals::add);
        } catch (RuntimeException | Error e) {
            due.forEach(hold -> renewAt(hold, now + AFTER_ERROR_NANOS));
            locks.all().stream()
                    .filter(hold -> hold.lookAt - now <= 0)
                    .forEach(hold -> hold.lookAt = now + AFTER_ERROR_NANOS);
            lowerWakeAt(now + AFTER_ERROR_NANOS);
            log.error("Unexpected error in thread holdfast-clock; continuing", e);
        }
        return wakeAt.get();
    }

    /** Looks at a hold, and returns whether it is due for renewal. */
    private boolean look(Hold hold, long now) {
        if (hold.isLive() && hold.isBoundThreadDead()) {
            locks.end(hold, LossCause.THREAD_DIED, locks::releaseLater);
        }
        if (!hold.isLive()) {
            hold.lookAt = now + IDLE_NANOS;
            return false;
        }
        report(hold, now);
        return begin(hold, now);
    }

    /** Marks the hold as being renewed if its renewal is due by the given time. Returns whether it is due. */
    private boolean begin(Hold hold, long until) {
        synchronized (hold) {
            boolean due = !hold.renewing && hold.renewAt - until <= 0;
            if (due) {
                hold.renewing = true;
                hold.doubted = false;
            }
            hold.lookAt = nextLook(hold);
            return due;
        }
    }

    /** If any holds are due, adds those that are due soon: within a twelfth of their lease. */
    private void coalesce(List<Hold> soon, List<Hold> due, long now) {
        for (Hold hold : soon) {
            if (!due.isEmpty() && hold.isLive() && begin(hold, now + hold.leaseNanos() / SLOTS_A_LEASE)) {
                due.add(hold);
            }
            lowerWakeAt(hold.lookAt);
        }
    }

    /** Reports each long hold once, and subscribes to revocations as soon as a hold has lasted for a second. */
    private void report(Hold hold, long now) {
        if (!hold.longHoldReported && warnAt(hold) - now <= 0) {
            hold.longHoldReported = true;
            log.warn(
                    "Lock {} has been held for {} and is still held; the work may be stuck",
                    hold.label(),
                    DurationText.of(hold.heldFor()));
            events.accept(new LockEvent.LongHeld(hold.key(), hold.name(), hold.token(), hold.heldFor()));
        }
        LocalQueue queue = locks.client.queue();
        if (listening != queue && now - hold.grant.at() >= LONG_HOLD_NANOS) {
            listening = queue;
            queue.entries.subscribe();
        }
    }

    // Renewals.

    /** Plans the next renewal after one has ended, or could not be started. */
    private void renewAt(Hold hold, long at) {
        synchronized (hold) {
            hold.renewing = false;
            hold.renewAt = hold.doubted ? askAgainAt(hold) : at;
            hold.lookAt = nextLook(hold);
        }
        wakeFor(hold);
    }

    private void renew(List<Hold> holds) {
        List<RenewRequest> requests = holds.stream().map(Watchdog::request).toList();
        long sentAt = ticker.nanos();
        List<RenewReply> replies;
        try {
            replies = requests.isEmpty() ? List.of() : locks.client.store.renew(requests);
            if (replies.size() != requests.size()) {
                throw new IllegalStateException(
                        "The store returned " + replies.size() + " replies to " + requests.size() + " renewals");
            }
        } catch (RuntimeException | Error e) {
            retryLater(holds, e);
            return;
        }
        try {
            handleReplies(holds, requests, replies, sentAt);
        } catch (RuntimeException | Error e) { // for example, no memory is left
            holds.stream()
                    .filter(hold -> hold.renewing)
                    .forEach(hold -> renewAt(hold, ticker.nanos() + AFTER_ERROR_NANOS));
            throw e;
        }
    }

    private static RenewRequest request(Hold hold) {
        long millis = hold.isRenewing() ? TimeUnit.NANOSECONDS.toMillis(hold.leaseNanos()) : hold.leastMillis();
        return hold.renewRequest(millis);
    }

    private void handleReplies(List<Hold> holds, List<RenewRequest> requests, List<RenewReply> replies, long sentAt) {
        Duration took = Duration.ofNanos(ticker.nanos() - sentAt);
        int renewed = 0;
        List<Hold> failed = new ArrayList<>();
        String reason = "";
        for (int i = 0; i < holds.size(); i++) {
            Hold hold = holds.get(i);
            RenewReply reply = replies.get(i);
            if (reply instanceof RenewReply.Renewed) {
                long millis = requests.get(i).leaseMillis();
                long lease = hold.leaseNanos();
                if (millis != Hold.LOOK_MILLIS) {
                    renewed++;
                    lease = TimeUnit.MILLISECONDS.toNanos(millis);
                    hold.extendTo(sentAt + lease);
                }
                renewAt(hold, sentAt + lease / Hold.RENEWALS_A_LEASE);
            } else if (reply instanceof RenewReply.Failed failure) {
                reason = failed.isEmpty() ? failure.reason() : reason;
                failed.add(hold);
            } else if (hold.isOpen()) { // a hold that was closed in the meantime was released, not lost
                hold.lose(LossCause.REVOKED);
            }
        }
        if (!failed.isEmpty()) {
            retryLater(failed, new IllegalStateException("The store could not renew some leases: " + reason));
        }
        if (renewed > 0) {
            events.accept(new LockEvent.Renewed(renewed, took));
        }
    }

    /**
     * Plans the next renewals before it reports the failure to listeners, which may take a long time. A lease that is not renewed
     * is not affected by the failure, and is checked again after another third of its length.
     */
    private void retryLater(List<Hold> holds, Throwable failure) {
        for (Hold hold : holds) {
            long pause = hold.leaseNanos() / Hold.RENEWALS_A_LEASE;
            if (hold.isRenewing()) {
                hold.lastFailure = failure;
                pause = Math.min(Math.max(hold.leaseNanos() / 10, MIN_RETRY_NANOS), MAX_RETRY_NANOS);
            }
            renewAt(hold, ticker.nanos() + pause);
        }
        List<Hold> retried = holds.stream()
                .filter(hold -> hold.isRenewing() && hold.isLive())
                .toList();
        if (retried.isEmpty()) {
            log.debug(
                    "Renewal call failed, but no lock needs a retry: each was lost in the meantime or was only being checked",
                    failure);
            return;
        }
        List<LockKey> keys = retried.stream().map(Hold::key).toList();
        Hold first = retried.get(0);
        log.warn(
                "Failed to renew {} lock(s), including {}, held for {}; retrying until the lease expires: {}",
                keys.size(),
                first.label(),
                DurationText.of(first.heldFor()),
                failure.toString());
        events.accept(new LockEvent.RenewalFailed(keys, failure));
    }

    /** Stops: leases are no longer renewed. */
    @Override
    public void close() {
        renewals.close();
        stopped = true;
        LockSupport.unpark(clock);
    }
}
