package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what leases and their watchdog tell. */
final class RecordedEvents implements LeaseEvents {

    final List<LockEvent.Lost> lost = new CopyOnWriteArrayList<>();
    final List<Integer> renewed = new CopyOnWriteArrayList<>();
    final List<Duration> took = new CopyOnWriteArrayList<>();
    final List<LockEvent.RenewalFailed> renewalFailed = new CopyOnWriteArrayList<>();
    final List<LockEvent.LongHeld> longHeld = new CopyOnWriteArrayList<>();
    final List<Lease> abandoned = new CopyOnWriteArrayList<>();

    @Override
    public void lost(Lease lease, LockEvent.Lost loss) {
        lost.add(loss);
    }

    @Override
    public void renewed(int locks, Duration duration) {
        renewed.add(locks);
        took.add(duration);
    }

    @Override
    public void renewalFailed(LockEvent.RenewalFailed event) {
        renewalFailed.add(event);
    }

    @Override
    public void longHeld(LockEvent.LongHeld event) {
        longHeld.add(event);
    }

    @Override
    public void abandoned(Lease lease) {
        abandoned.add(lease);
    }
}
