package io.holdfast.lock.explore;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.lease.LeaseEvents;
import java.time.Duration;

/** Nobody listens. */
enum NoEvents implements LeaseEvents {
    INSTANCE;

    @Override
    public void lost(Lease lease, LockEvent.Lost loss) {}

    @Override
    public void renewed(int locks, Duration took) {}

    @Override
    public void renewalFailed(LockEvent.RenewalFailed event) {}

    @Override
    public void longHeld(LockEvent.LongHeld event) {}

    @Override
    public void abandoned(Lease lease) {}
}
