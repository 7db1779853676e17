package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.engine.acquire.Waits;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.HeldLocks;
import java.util.List;

/** What this client holds and waits for, from its own records. */
final class Activity implements LockActivity {

    private final ClientContext client;
    private final HeldLocks holds;
    private final Waits waits;
    private final EventPublisher events;

    Activity(ClientContext client, HeldLocks holds, Waits waits, EventPublisher events) {
        this.client = client;
        this.holds = holds;
        this.waits = waits;
        this.events = events;
    }

    @Override
    public List<LockActivity.Hold> held() {
        return holds.all().stream()
                .filter(hold -> hold.loss() == null)
                .map(Activity::describe)
                .toList();
    }

    private static LockActivity.Hold describe(io.holdfast.lock.engine.hold.Hold hold) {
        return new LockActivity.Hold(
                hold.key(),
                hold.name(),
                hold.mode(),
                hold.token(),
                hold.thread(),
                hold.held(),
                hold.remaining());
    }

    @Override
    public List<LockActivity.Wait> waiting() {
        return waits.snapshot();
    }

    @Override
    public long wakeUps() {
        return client.wakeUps();
    }

    @Override
    public long droppedEvents() {
        return events.dropped();
    }

    @Override
    public int lateRenewals() {
        return (int) holds.all().stream()
                .filter(hold -> hold.isRenewalLate())
                .count();
    }

    @Override
    public SubscriptionState subscriptionState() {
        return client.queue().subscriptionState();
    }
}
