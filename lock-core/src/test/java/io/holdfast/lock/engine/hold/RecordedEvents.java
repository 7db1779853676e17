package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what holds and their watchdog report. */
final class RecordedEvents {

    final List<LockEvent.Lost> lost = new CopyOnWriteArrayList<>();
    final List<LockEvent.Renewed> calls = new CopyOnWriteArrayList<>();
    final List<Integer> renewed = new CopyOnWriteArrayList<>();
    final List<LockEvent.RenewalFailed> renewalFailed = new CopyOnWriteArrayList<>();
    final List<LockEvent.LongHeld> longHeld = new CopyOnWriteArrayList<>();

    Runnable onLost = () -> {};
    Runnable onRenewed = () -> {};
    Runnable onFailure = () -> {};
    Runnable onLongHold = () -> {};

    void lost(Hold hold, LockEvent.Lost loss) {
        lost.add(loss);
        onLost.run();
    }

    void accept(LockEvent event) {
        if (event instanceof LockEvent.Renewed call) {
            onRenewed.run();
            calls.add(call);
            renewed.add(call.locks());
        } else if (event instanceof LockEvent.RenewalFailed failure) {
            onFailure.run();
            renewalFailed.add(failure);
        } else if (event instanceof LockEvent.LongHeld held) {
            onLongHold.run();
            longHeld.add(held);
        } else {
            throw new AssertionError(event);
        }
    }
}
