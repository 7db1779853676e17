package io.holdfast.lock.memory;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Notifications for clients, delivered once the store's mutex, which guards this too, is released. */
final class Hints {

    /** The notifications for the listeners of one client. */
    record Hint(String clientId, Consumer<WakeListener> call) {}

    private List<Hint> pending = new ArrayList<>();

    void granted(OwnerId owner, Reservation reservation) {
        pending.add(new Hint(owner.clientId(), listener -> listener.granted(owner.sequence(), reservation)));
    }

    void awaited(OwnerId owner, Waiters waiters) {
        pending.add(new Hint(owner.clientId(), listener -> listener.awaited(owner.sequence(), waiters)));
    }

    void revoked(OwnerId owner) {
        pending.add(new Hint(owner.clientId(), listener -> listener.revoked(owner.sequence())));
    }

    List<Hint> drain() {
        if (pending.isEmpty()) {
            return List.of();
        }
        List<Hint> drained = pending;
        pending = new ArrayList<>();
        return drained;
    }
}
