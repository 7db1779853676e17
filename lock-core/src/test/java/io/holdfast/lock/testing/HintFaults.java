package io.holdfast.lock.testing;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import java.util.function.Consumer;

/** A store whose hints arrive as a fault wills: never, twice, late. That it hears nothing, it does not notice. */
public final class HintFaults extends StoreSpy {

    private final Consumer<Runnable> fault;

    /**
     * @param fault is given each hint, and may run it
     */
    public HintFaults(LockStore delegate, Consumer<Runnable> fault) {
        super(delegate);
        this.fault = fault;
    }

    @Override
    public Listening listen(String clientId, WakeListener listener) {
        return super.listen(clientId, new WakeListener() {
            @Override
            public void granted(long sequence, Reservation reservation) {
                fault.accept(() -> listener.granted(sequence, reservation));
            }

            @Override
            public void awaited(long sequence, Waiters waiters) {
                fault.accept(() -> listener.awaited(sequence, waiters));
            }

            @Override
            public void revoked(long sequence) {
                fault.accept(() -> listener.revoked(sequence));
            }

            @Override
            public void connected() {
                listener.connected();
            }

            @Override
            public void disconnected() {
                listener.disconnected();
            }
        });
    }
}
