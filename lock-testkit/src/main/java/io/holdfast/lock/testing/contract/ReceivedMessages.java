package io.holdfast.lock.testing.contract;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** Records the hints that one client receives. */
final class ReceivedMessages implements WakeListener {

    /** A common form for all hints of a test. */
    record Received(long sequence, String what) {
        static Received called(OwnerId owner) {
            return new Received(owner.sequence(), "called");
        }

        static Received revoked(OwnerId owner) {
            return new Received(owner.sequence(), "revoked");
        }

        static Received awaited(OwnerId owner, Waiters waiters) {
            return new Received(owner.sequence(), "awaited by " + waiters);
        }
    }

    private final List<Reservation> reservations = new CopyOnWriteArrayList<>();
    private final List<Received> hints = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();

    @Override
    public void granted(long sequence, Reservation reservation) {
        reservations.add(reservation);
        hints.add(new Received(sequence, "called"));
    }

    @Override
    public void awaited(long sequence, Waiters waiters) {
        hints.add(new Received(sequence, "awaited by " + waiters));
    }

    @Override
    public void revoked(long sequence) {
        hints.add(new Received(sequence, "revoked"));
    }

    @Override
    public void connected() {
        connections.incrementAndGet();
    }

    @Override
    public void disconnected() {}

    void awaitConnected() {
        await(() -> connections.get() > 0);
    }

    void awaitHint(Received hint) {
        await(() -> hints.contains(hint));
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(condition);
    }

    List<Reservation> reservations() {
        return List.copyOf(reservations);
    }

    List<Received> all() {
        return List.copyOf(hints);
    }
}
