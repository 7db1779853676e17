package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.lease.Grant;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.lease.LeaseEvents;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes on losses and other reports of the watchdog: to the log, to the holding thread if it requested an interrupt, to
 * listeners, and to the handles' own loss actions. Each loss is reported here once.
 */
public final class LeaseReports implements LeaseEvents {

    private static final Logger log = LoggerFactory.getLogger(LeaseReports.class);

    private final EventPublisher events;
    private final ThreadHolds holds;
    private final ClientContext client;

    public LeaseReports(EventPublisher events, ThreadHolds holds, ClientContext client) {
        this.events = events;
        this.holds = holds;
        this.client = client;
    }

    @Override
    public void lost(Lease lease, LockEvent.Lost loss) {
        log.warn(
                "Lock {} (fencing token {}) was lost after {}: {}{}",
                Grant.label(loss.key(), loss.name()),
                loss.fencingToken(),
                DurationText.of(loss.held()),
                loss.cause().explanation(),
                loss.failure() == null
                        ? ""
                        : " Last failed renewal: " + loss.failure().getMessage());
        Hold hold = holds.find(lease);
        if (hold != null) {
            hold.interruptHolders();
        }
        if (lease.hasLossActions()) {
            events.later(() -> lease.tellLoss(loss, EventPublisher::guarded));
        }
        events.publishLater(loss);
        if (hold != null) {
            hold.leaveLine();
        }
        holds.fewer();
    }

    @Override
    public void renewed(int locks, Duration took) {
        if (events.hasListeners()) {
            events.publishLater(new LockEvent.Renewed(locks, took));
        }
    }

    @Override
    public void renewalFailed(LockEvent.RenewalFailed event) {
        events.publishLater(event);
    }

    @Override
    public void longHeld(LockEvent.LongHeld event) {
        log.warn(
                "Lock {} has been held for {} and is still held; the work may be stuck",
                Grant.label(event.key(), event.name()),
                DurationText.of(event.held()));
        events.publishLater(event);
    }

    @Override
    public void abandoned(Lease lease) {
        Hold hold = holds.find(lease);
        holds.remove(lease);
        if (hold != null) {
            hold.releaseLater(client.cleanup());
        }
    }
}
