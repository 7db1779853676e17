package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** The actions that run when a lease is lost, once each. Most leases have none. */
final class LossActions {

    private List<Consumer<LockEvent.Lost>> actions = List.of();

    synchronized Consumer<LockEvent.Lost> add(Consumer<LockEvent.Lost> action) {
        AtomicBoolean done = new AtomicBoolean();
        Consumer<LockEvent.Lost> once = loss -> {
            if (done.compareAndSet(false, true)) {
                action.accept(loss);
            }
        };
        List<Consumer<LockEvent.Lost>> more = new ArrayList<>(actions);
        more.add(once);
        actions = List.copyOf(more);
        return once;
    }

    synchronized boolean isEmpty() {
        return actions.isEmpty();
    }

    void run(LockEvent.Lost loss, Consumer<Runnable> guard) {
        for (Consumer<LockEvent.Lost> action : all()) {
            guard.accept(() -> action.accept(loss));
        }
    }

    private synchronized List<Consumer<LockEvent.Lost>> all() {
        return actions;
    }
}
