package io.holdfast.lock.lease;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases that are looked at together: one at first, and then those that were renewed by one call. As long as nothing happens
 * to one of these, they fall due together again. So they need one alarm, not one each.
 *
 * <p>Each watched lease belongs to exactly one batch, the one that it names itself. When it leaves, it stays in the list, and is
 * only counted out: once none is left, nothing is looked at any more.
 *
 * <p>Thread-safe. Its monitor guards the alarm, so that this fits the number of members, and whether they are being renewed,
 * whoever changes these at the same time. The monitor of a lease may be held outside of it, never the other way round.
 *
 * @param <L> a lease
 */
final class Batch<L> {

    private final Alarms<Batch<L>> alarms;
    private final List<L> leases;

    /** When they are to be renewed; of no use while they are being renewed. */
    volatile long renewAt;

    /** Written under this monitor. */
    private volatile boolean beingRenewed;

    /** Guarded by this monitor, as is the alarm. */
    private int members;

    private Alarms.@Nullable Alarm<Batch<L>> alarm;

    /** Without an alarm as yet. */
    Batch(Alarms<Batch<L>> alarms, List<L> leases) {
        this.alarms = alarms;
        this.leases = List.copyOf(leases);
        this.members = leases.size();
    }

    /** All that have ever belonged to it. */
    List<L> leases() {
        return leases;
    }

    /** One does not belong to it any more. */
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

    /** Its only lease is to be looked at by that time. */
    synchronized void look(long at) {
        setAlarm(at);
    }

    /** Its leases are to be looked at by that time, unless their renewal has ended. */
    synchronized void lookWhileRenewed(long at) {
        if (beingRenewed) {
            setAlarm(at);
        }
    }

    /** The renewal has ended. What stays is renewed again when that is due; the others have left, or are lost. */
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
