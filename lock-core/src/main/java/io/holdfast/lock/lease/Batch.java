package io.holdfast.lock.lease;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases that are checked together: first a single one, then those that were renewed by one call. Until an event separates them,
 * they are due together again. So they need one alarm, not one each.
 *
 * <p>Each watched lease belongs to exactly one batch, the one that it refers to. A lease that leaves stays in the list, and only
 * reduces the count; at zero the batch has no alarm any more.
 *
 * <p>Thread-safe. Its monitor guards the alarm, the number of members, and whether they are being renewed, so that these stay
 * consistent. A thread that holds the monitor of a lease may enter this one, never the other way round.
 *
 * @param <L> a lease
 */
final class Batch<L> {

    private final Alarms<Batch<L>> alarms;
    private final List<L> leases;

    /** When they are renewed next; not used during a renewal. */
    volatile long renewAt;

    /** Written under this monitor. */
    private volatile boolean beingRenewed;

    /** Guarded by this monitor, as is the alarm. */
    private int members;

    private Alarms.@Nullable Alarm<Batch<L>> alarm;

    /** Without an alarm yet. */
    Batch(Alarms<Batch<L>> alarms, List<L> leases) {
        this.alarms = alarms;
        this.leases = List.copyOf(leases);
        this.members = leases.size();
    }

    /** All that have ever belonged to it. */
    List<L> leases() {
        return leases;
    }

    /** A lease has left. */
    synchronized void leave() {
        members--;
        if (members == 0) {
            removeAlarm();
        }
    }

    /** Whether a renewal of its leases is under way. */
    boolean isBeingRenewed() {
        return beingRenewed;
    }

    /** From now on its alarms come at deadlines, see {@link #lookWhileRenewed}. */
    synchronized void beginRenewal() {
        beingRenewed = true;
    }

    /** Its only lease is checked at that time. */
    synchronized void look(long at) {
        setAlarm(at);
    }

    /** Its leases are checked at that time, unless their renewal has ended. */
    synchronized void lookWhileRenewed(long at) {
        if (beingRenewed) {
            setAlarm(at);
        }
    }

    /** The renewal has ended. Leases that stay are renewed again when due; the others have left, or are lost. */
    synchronized void endRenewal(boolean anyStays) {
        beingRenewed = false;
        if (anyStays) {
            setAlarm(renewAt);
        } else {
            removeAlarm();
        }
    }

    private void setAlarm(long at) {
        if (members > 0) {
            alarm = alarms.replace(alarm, at, this);
        }
    }

    private void removeAlarm() {
        alarms.remove(alarm);
        alarm = null;
    }
}
