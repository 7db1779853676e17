package io.holdfast.lock.lease;

import io.holdfast.lock.store.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * When each watched lease is checked next: its {@link Batch}, and the alarm of that batch.
 *
 * <p>A lease starts in a batch of its own, whose alarm is the earliest of its next renewal, its deadline, and its warnings. When
 * it is renewed, it moves to a batch with the leases of the same call. During that call, the alarm is the earliest of their
 * deadlines; afterwards it is their common next renewal. A lease moves back to a batch of its own if its renewal fails, its
 * terms change, it is doubted, or it has an earlier event. A lease that is closed or lost leaves its batch, and joins none.
 *
 * <p>Thread-safe. A lease moves under its own monitor, in the step that decides where to, based on its state at that time. So an
 * older decision never replaces a newer one. Every open lease has an alarm, except those of a batch whose alarm the clock thread
 * has just taken: it sets another one before it sleeps. A batch that is to be renewed gets its alarm after its
 * leases have joined it, also from the clock thread. When the renewal has ended, each lease that does not stay has a batch of its
 * own before the batch replaces its alarm for the deadlines.
 */
final class LeaseSchedule implements RenewalLoop.Planner {

    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long BETWEEN_DOUBTS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Alarms<Batch<Lease>> alarms;
    private final Ticker ticker;
    private final LongHolds longHolds;
    private final LongConsumer wakeFor;

    /** Calls {@code wakeFor} with the time of each alarm that it adds, unless on the clock thread. */
    LeaseSchedule(Alarms<Batch<Lease>> alarms, Ticker ticker, LongHolds longHolds, LongConsumer wakeFor) {
        this.alarms = alarms;
        this.ticker = ticker;
        this.longHolds = longHolds;
        this.wakeFor = wakeFor;
    }

    /** The lease was granted. */
    void watch(Lease lease) {
        long first = firstRenewal(lease);
        synchronized (lease) {
            if (!lease.doubted) {
                lease.renewAt = first;
            }
            lookAlone(lease);
        }
    }

    /**
     * After a third of the lease. A lease that is shorter for now, because it was granted by a message and needs confirmation, or
     * was handed off late, is renewed soon; not immediately, so that briefly held locks need no renewal.
     */
    private long firstRenewal(Lease lease) {
        long now = ticker.nanos();
        long leaseNanos = lease.leaseNanos();
        long planned = lease.deadline() - leaseNanos + leaseNanos / Lease.RENEWALS_A_LEASE;
        long soon = now + Math.min(SOON_NANOS, (lease.deadline() - now) / Lease.RENEWALS_A_LEASE);
        return planned - soon > 0 ? planned : soon;
    }

    /** The lease is no longer checked. May be repeated. */
    void forget(Lease lease) {
        synchronized (lease) {
            leave(lease);
        }
    }

    /** Schedules a check of the lease at the store, by a call that has not started yet; at most every 100 ms. */
    void doubt(Lease lease) {
        synchronized (lease) {
            if (!lease.doubted && lease.isOpen()) {
                lease.doubted = true;
                if (!lease.renewalPending) {
                    lease.renewAt = askAgainAt(lease);
                    lookAlone(lease);
                }
            }
        }
    }

    private long askAgainAt(Lease lease) {
        long at = Alarms.later(ticker.nanos(), lease.doubtableAt);
        lease.doubtableAt = at + BETWEEN_DOUBTS_NANOS;
        return at;
    }

    /** Puts the lease into a batch of its own, until its next event, unless it is closed. */
    void lookAlone(Lease lease) {
        long at;
        synchronized (lease) {
            leave(lease);
            if (!lease.isOpen()) {
                return;
            }
            at = nextMoment(lease);
            setAlone(lease, at);
        }
        wakeFor.accept(at);
    }

    private void setAlone(Lease lease, long at) {
        Batch<Lease> alone = new Batch<>(alarms, List.of(lease));
        lease.batch = alone;
        alone.look(at);
    }

    /** An error has left these batches without an alarm, or with one that comes too late: their leases are checked at that time. */
    void lookAgain(List<Batch<Lease>> batches, long at) {
        for (Batch<Lease> batch : batches) {
            for (Lease lease : batch.leases()) {
                synchronized (lease) {
                    if (lease.isIn(batch)) {
                        leave(lease);
                        lease.renewalPending = false;
                        setAlone(lease, at);
                    }
                }
            }
        }
    }

    private long nextMoment(Lease lease) {
        long at = lease.deadline();
        if (!lease.renewalPending) {
            at = Alarms.earlier(at, lease.renewAt);
        }
        return longHolds.nextLook(lease, at);
    }

    private static void leave(Lease lease) {
        Batch<Lease> batch = lease.batch;
        if (batch != null) {
            lease.batch = null;
            batch.leave();
        }
    }

    /** Creates a batch of leases that are renewed together from now on. Called by the clock thread. */
    Batch<Lease> renewTogether(List<Lease> leases, long now) {
        Batch<Lease> batch = new Batch<>(alarms, leases);
        batch.beginRenewal();
        batch.leases().forEach(lease -> join(batch, lease));
        lookAtDeadlines(batch, now);
        return batch;
    }

    /** A lease that was closed in the meantime does not join: it was forgotten, or will be, and is not checked again. */
    private static void join(Batch<Lease> batch, Lease lease) {
        synchronized (lease) {
            leave(lease);
            if (lease.isOpen()) {
                lease.batch = batch;
                lease.renewalPending = true;
                lease.doubted = false;
            } else {
                batch.leave();
            }
        }
    }

    /** Schedules the renewal of a batch as it is. Called by the clock thread. */
    void renewAgain(Batch<Lease> batch, long now) {
        batch.beginRenewal();
        for (Lease lease : batch.leases()) {
            lease.renewalPending = true;
        }
        lookAtDeadlines(batch, now);
    }

    /** During a renewal each lease is still lost at its deadline. Called by the clock thread. */
    void lookAtDeadlines(Batch<Lease> batch, long now) {
        boolean any = false;
        long at = 0;
        for (Lease lease : batch.leases()) {
            if (lease.isIn(batch) && lease.isLive(now)) {
                at = any ? Alarms.earlier(at, lease.deadline()) : lease.deadline();
                any = true;
            }
        }
        if (any) {
            batch.lookWhileRenewed(at);
        }
    }

    @Override
    public void renewAt(Lease lease, long nanos) {
        synchronized (lease) {
            renewed(lease, nanos);
            lookAlone(lease);
        }
    }

    @Override
    public boolean renewAt(Lease lease, Batch<Lease> batch, long nanos) {
        synchronized (lease) {
            renewed(lease, nanos);
            boolean stays = lease.isIn(batch) && nextMoment(lease) == batch.renewAt;
            if (!stays) {
                lookAlone(lease);
            }
            return stays;
        }
    }

    private void renewed(Lease lease, long nextRenewal) {
        lease.renewAt = lease.doubted ? askAgainAt(lease) : nextRenewal;
        lease.renewalPending = false;
    }

    @Override
    public void renewed(Batch<Lease> batch, boolean anyStays) {
        batch.endRenewal(anyStays);
        if (anyStays) {
            wakeFor.accept(batch.renewAt);
        }
    }

    /** The open leases that are in a batch with an alarm; while threads run, some may be between two alarms. */
    List<Lease> watched() {
        List<Lease> watched = new ArrayList<>();
        for (Alarms.Alarm<Batch<Lease>> alarm : alarms) {
            Batch<Lease> batch = alarm.subject();
            batch.leases().stream()
                    .filter(lease -> lease.isIn(batch) && lease.isOpen())
                    .forEach(watched::add);
        }
        return watched.stream().distinct().toList();
    }
}
