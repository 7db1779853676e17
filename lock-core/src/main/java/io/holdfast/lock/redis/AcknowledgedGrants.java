package io.holdfast.lock.redis;

import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;

/**
 * Says of every grant by message that it has ended already: nobody knows whether the replicas have it. So the waiter asks
 * for it, and that call waits for them.
 */
final class AcknowledgedGrants implements WakeListener {

    private final WakeListener listener;

    AcknowledgedGrants(WakeListener listener) {
        this.listener = listener;
    }

    @Override
    public void granted(long sequence, Reservation told) {
        listener.granted(
                sequence,
                new Reservation(told.token(), told.tokens(), told.waiters(), told.atMicros(), told.atMicros()));
    }

    @Override
    public void awaited(long sequence, Waiters waiters) {
        listener.awaited(sequence, waiters);
    }

    @Override
    public void revoked(long sequence) {
        listener.revoked(sequence);
    }

    @Override
    public void connected() {
        listener.connected();
    }

    @Override
    public void disconnected() {
        listener.disconnected();
    }
}
