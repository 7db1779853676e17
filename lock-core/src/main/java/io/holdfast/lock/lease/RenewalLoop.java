package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews what the clock thread hands over, many leases in one call. A failed call is tried again after a tenth of each
 * lease (10 ms to 1 s), until the clock thread declares the loss. A new deadline is counted from before the call was
 * sent.
 */
final class RenewalLoop {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

    private static final int MOST_AT_ONCE = 500;
    private static final int RENEWALS_A_LEASE = 3;
    private static final long SHORTEST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    @FunctionalInterface
    interface Planner {
        void renewAt(Lease lease, long nanos);
    }

    private final LinkedBlockingQueue<Lease> pending = new LinkedBlockingQueue<>();
    private final Semaphore work = new Semaphore(0);
    private final LockStore store;
    private final LeaseEvents events;
    private final Ticker ticker;
    private final Planner planner;
    private volatile boolean closed;

    RenewalLoop(LockStore store, LeaseEvents events, Ticker ticker, Planner planner) {
        this.store = store;
        this.events = events;
        this.ticker = ticker;
        this.planner = planner;
    }

    void add(Lease lease) {
        lease.renewalPending = true;
        pending.add(lease);
    }

    void wake() {
        work.release();
    }

    /** Goes on until it is closed, whatever goes wrong, and whoever interrupts its thread. */
    void run() {
        while (!closed) {
            try {
                work.acquire();
                work.drainPermits();
                renewPending();
            } catch (InterruptedException e) {
                log.debug("Renewal was interrupted; it ends if the client is closed");
            } catch (RuntimeException | Error e) {
                log.error("Renewal of locks met an error and goes on", e);
            }
        }
    }

    void close() {
        closed = true;
    }

    void renewPending() {
        List<Lease> batch = new ArrayList<>();
        while (pending.drainTo(batch, MOST_AT_ONCE) > 0) {
            batch.removeIf(lease -> !lease.isLive());
            if (!batch.isEmpty()) {
                renew(batch);
            }
            batch.clear();
        }
    }

    private void renew(List<Lease> batch) {
        List<RenewRequest> requests = batch.stream().map(RenewalLoop::request).toList();
        long sentAt = ticker.nanos();
        List<RenewReply> replies;
        try {
            replies = store.renew(requests);
        } catch (RuntimeException | Error e) {
            failed(batch, e);
            return;
        }
        List<Lease> broken = new ArrayList<>();
        String reason = "";
        for (int i = 0; i < batch.size(); i++) {
            Lease lease = batch.get(i);
            RenewReply reply = replies.get(i);
            if (reply instanceof RenewReply.Renewed) {
                long nanos = TimeUnit.MILLISECONDS.toNanos(requests.get(i).leaseMillis());
                lease.extendTo(sentAt + nanos);
                planner.renewAt(lease, sentAt + nanos / RENEWALS_A_LEASE);
            } else if (reply instanceof RenewReply.NotHolder) {
                revoked(lease);
            } else if (reply instanceof RenewReply.Failed failure) {
                broken.add(lease);
                reason = failure.reason();
            }
        }
        if (!broken.isEmpty()) {
            failed(broken, new IllegalStateException("The store could not renew some locks: " + reason));
        }
    }

    /** A lease that was closed meanwhile is not held any more by its own will. */
    private static void revoked(Lease lease) {
        if (lease.isOpen()) {
            lease.lose(LossCause.REVOKED);
        }
    }

    private static RenewRequest request(Lease lease) {
        return new RenewRequest(lease.key(), lease.owner(), TimeUnit.NANOSECONDS.toMillis(lease.leaseNanos()));
    }

    private void failed(List<Lease> renewed, Throwable failure) {
        renewed.forEach(lease -> lease.renewalFailed(failure));
        List<Lease> batch = renewed.stream().filter(Lease::isLive).toList();
        if (batch.isEmpty()) {
            log.debug("Renewal of leases that are lost meanwhile failed", failure);
            return;
        }
        List<LockKey> keys = batch.stream().map(Lease::key).toList();
        log.warn(
                "Renewal of {} lock(s) failed, among them '{}', held for {} ms; it is tried again until the lease ends: {}",
                keys.size(),
                keys.get(0),
                batch.get(0).held().toMillis(),
                failure.toString());
        events.renewalFailed(new LockEvent.RenewalFailed(keys, failure));
        long now = ticker.nanos();
        for (Lease lease : batch) {
            long delay = Math.min(Math.max(lease.leaseNanos() / 10, SHORTEST_RETRY_NANOS), LONGEST_RETRY_NANOS);
            planner.renewAt(lease, now + delay);
        }
    }
}
