package io.holdfast.lock.lease;

import io.holdfast.lock.store.LockStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The leases that are due for renewal at one point in time, and their new batches. Includes leases that are due soon, so that
 * renewals of many leases synchronize and share calls.
 *
 * <p>Used once, by the clock thread only. Its leases may be closed, or move to other batches, at the same time: {@link
 * LeaseSchedule} checks again when it creates batches.
 */
final class DueLeases {

    private static final long WIDEST_WINDOW_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int WINDOWS_A_LEASE = 12;

    private final LockStore store;
    private final long now;

    /** By server: those that are renewed again as they are. */
    private final Map<String, List<Batch<Lease>>> whole = new HashMap<>();

    /** Those that are put into new batches. */
    private final List<Lease> leases = new ArrayList<>();

    DueLeases(LockStore store, long now) {
        this.store = store;
        this.now = now;
    }

    boolean isEmpty() {
        return whole.isEmpty() && leases.isEmpty();
    }

    boolean isDue(Lease lease) {
        return isDue(lease, 0);
    }

    private boolean isDue(Lease lease, long window) {
        return lease.renewAt - now <= window && !lease.renewalPending;
    }

    private boolean isDueSoon(Lease lease) {
        return isDue(lease, lease.leaseNanos() / WINDOWS_A_LEASE) && lease.isLive(now);
    }

    /** Adds the due leases of a batch. The batch stays as it is if it is complete, big enough, and on one server. */
    void add(Batch<Lease> batch, List<Lease> due) {
        if (due.size() == batch.leases().size()
                && due.size() > RenewalLoop.MOST_AT_ONCE / 2
                && areOn(serverOf(due.get(0)), due)) {
            addWhole(serverOf(due.get(0)), batch);
        } else {
            leases.addAll(due);
        }
    }

    private boolean areOn(String server, List<Lease> due) {
        return due.stream().allMatch(lease -> serverOf(lease).equals(server));
    }

    private void addWhole(String server, Batch<Lease> batch) {
        whole.computeIfAbsent(server, unused -> new ArrayList<>()).add(batch);
    }

    private String serverOf(Lease lease) {
        return store.serverOf(lease.key());
    }

    /** Adds leases that are due soon: within a twelfth of their lease. */
    void takeAlong(Alarms<Batch<Lease>> alarms) {
        for (Alarms.Alarm<Batch<Lease>> alarm : alarms) {
            if (alarm.at() - now > WIDEST_WINDOW_NANOS) {
                return;
            }
            Batch<Lease> batch = alarm.subject();
            if (!batch.isBeingRenewed()) {
                add(batch, dueSoon(batch));
            }
        }
    }

    private List<Lease> dueSoon(Batch<Lease> batch) {
        List<Lease> soon = new ArrayList<>();
        for (Lease lease : batch.leases()) {
            if (lease.isIn(batch) && isDueSoon(lease)) {
                soon.add(lease);
            }
        }
        return soon;
    }

    /** Marks all of them as being renewed. Returns the batches of each server. */
    Map<String, List<Batch<Lease>>> renew(LeaseSchedule schedule) {
        whole.values().forEach(batches -> batches.forEach(batch -> schedule.renewAgain(batch, now)));
        leases.sort(Comparator.comparingLong(Lease::leaseNanos)); // those of the same length stay together
        Map<String, List<Lease>> byServer = leases.stream().collect(Collectors.groupingBy(this::serverOf));
        byServer.forEach((server, theirs) -> {
            for (List<Lease> part : parts(theirs)) {
                addWhole(server, schedule.renewTogether(part, now));
            }
        });
        return whole;
    }

    private static List<List<Lease>> parts(List<Lease> leases) {
        List<List<Lease>> parts = new ArrayList<>();
        for (int from = 0; from < leases.size(); from += RenewalLoop.MOST_AT_ONCE) {
            parts.add(leases.subList(from, Math.min(leases.size(), from + RenewalLoop.MOST_AT_ONCE)));
        }
        return parts;
    }
}
