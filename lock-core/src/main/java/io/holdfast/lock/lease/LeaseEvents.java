package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import java.time.Duration;

/** What leases and their watchdog report to the engine. Called on any thread: must be quick and must not throw. */
public interface LeaseEvents extends Lease.LossListener {

    /**
     * A renewal call has succeeded.
     *
     * @param locks how many leases it renewed
     * @param took how long the call took
     */
    void renewed(int locks, Duration took);

    /**
     * A renewal call has failed; it will be repeated.
     *
     * @param event which locks, and why
     */
    void renewalFailed(LockEvent.RenewalFailed event);

    /**
     * A lease has been held for longer than its warning threshold; reported once for each lease.
     *
     * @param event which lock, and how long
     */
    void longHeld(LockEvent.LongHeld event);

    /**
     * The thread that a lease was bound to has died without releasing it. The lease is lost and closed; the store does
     * not know yet.
     *
     * @param lease the lease
     */
    void abandoned(Lease lease);
}
