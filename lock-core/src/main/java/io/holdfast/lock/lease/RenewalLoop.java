package io.holdfast.lock.lease;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases that the clock thread hands over, many in one call. A failed call is repeated after a tenth of each
 * lease (10 ms to 1 s), until the clock thread declares the loss. A new deadline is counted from before the call was
 * sent. Leases that are not renewed are part of the same calls, to check whether they are still held; they get no new deadline.
 */
final class RenewalLoop implements ServerWorkers.Job<Batch<Lease>> {

    private static final Logger log = LoggerFactory.getLogger(RenewalLoop.class);

    static final int MOST_AT_ONCE = 600;
    private static final long SHORTEST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Plans the next renewals. */
    interface Planner {

        /** The lease is to be renewed at that time, on its own. */
        void renewAt(Lease lease, long nanos);

        /** The lease is to be renewed at that time. Returns whether it still belongs to the batch. */
        boolean renewAt(Lease lease, Batch<Lease> batch, long nanos);

        /** The renewal of the batch has ended. */
        void renewed(Batch<Lease> batch, boolean anyStays);
    }

    private final LockStore store;
    private final LeaseEvents events;
    private final Ticker ticker;
    private final Planner planner;

    RenewalLoop(LockStore store, LeaseEvents events, Ticker ticker, Planner planner) {
        this.store = store;
        this.events = events;
        this.ticker = ticker;
        this.planner = planner;
    }

    /** Leases that have accumulated during a slow call are renewed by as few calls as possible. */
    @Override
    public long work(List<Batch<Lease>> pending) {
        List<Batch<Lease>> together = new ArrayList<>();
        int size = 0;
        for (Batch<Lease> next : pending) {
            if (size > 0 && size + next.leases().size() > MOST_AT_ONCE) {
                renew(together);
                together = new ArrayList<>();
                size = 0;
            }
            together.add(next);
            size += next.leases().size();
        }
        renew(together);
        return 0;
    }

    private void renew(List<Batch<Lease>> batches) {
        List<List<Lease>> live = batches.stream()
                .map(batch -> batch.leases().stream().filter(Lease::isLive).toList())
                .toList();
        List<RenewRequest> requests =
                live.stream().flatMap(List::stream).map(RenewalLoop::request).toList();
        if (requests.isEmpty()) {
            batches.forEach(batch -> planner.renewed(batch, false));
            return;
        }
        long sentAt = ticker.nanos();
        List<RenewReply> replies;
        try {
            replies = store.renew(requests);
            if (replies.size() != requests.size()) {
                throw new IllegalStateException(
                        "The store returned " + replies.size() + " replies to " + requests.size() + " renewals");
            }
        } catch (RuntimeException | Error e) {
            List<Lease> all = live.stream().flatMap(List::stream).toList();
            all.forEach(lease -> planAgain(lease, e));
            batches.forEach(batch -> planner.renewed(batch, false));
            failed(all, e);
            return;
        }
        Duration took = Duration.ofNanos(ticker.nanos() - sentAt);
        List<Broken> broken = new ArrayList<>();
        int renewed = 0;
        int from = 0;
        for (int i = 0; i < batches.size(); i++) {
            int to = from + live.get(i).size();
            renewed += settle(
                    batches.get(i), live.get(i), requests.subList(from, to), replies.subList(from, to), sentAt, broken);
            from = to;
        }
        if (renewed > 0) {
            events.renewed(renewed, took);
        }
        if (!broken.isEmpty()) {
            failed(broken.stream().map(Broken::lease).toList(), broken.get(0).failure());
        }
    }

    private record Broken(Lease lease, Throwable failure) {}

    private static Throwable failure(RenewReply.Failed reply) {
        return new IllegalStateException("The store could not renew some leases: " + reply.reason());
    }

    /** Returns how many were renewed. */
    private int settle(
            Batch<Lease> batch,
            List<Lease> leases,
            List<RenewRequest> requests,
            List<RenewReply> replies,
            long sentAt,
            List<Broken> broken) {
        boolean anyStays = false;
        int renewed = 0;
        for (int i = 0; i < leases.size(); i++) {
            Lease lease = leases.get(i);
            RenewReply reply = replies.get(i);
            boolean look = isLook(requests.get(i));
            long millis = look
                    ? TimeUnit.NANOSECONDS.toMillis(lease.leaseNanos())
                    : requests.get(i).leaseMillis();
            long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
            if (i == 0) {
                batch.renewAt = sentAt + nanos / Lease.RENEWALS_A_LEASE;
            }
            if (reply instanceof RenewReply.Renewed) {
                if (!look) {
                    renewed++;
                    lease.extendTo(sentAt + nanos);
                }
                anyStays |= planner.renewAt(lease, batch, sentAt + nanos / Lease.RENEWALS_A_LEASE);
            } else if (reply instanceof RenewReply.NotHolder) {
                revoked(lease);
            } else if (reply instanceof RenewReply.Failed failure) {
                Throwable known =
                        broken.isEmpty() ? failure(failure) : broken.get(0).failure();
                planAgain(lease, known);
                broken.add(new Broken(lease, known));
            }
        }
        planner.renewed(batch, anyStays);
        return renewed;
    }

    /** A lease that was closed in the meantime was released, not lost. */
    private static void revoked(Lease lease) {
        if (lease.isOpen()) {
            lease.lose(LossCause.REVOKED);
        }
    }

    private static RenewRequest request(Lease lease) {
        long millis = lease.isRenewing() ? TimeUnit.NANOSECONDS.toMillis(lease.leaseNanos()) : lease.leastMillis();
        return new RenewRequest(lease.key(), lease.owner(), millis);
    }

    private static boolean isLook(RenewRequest request) {
        return request.leaseMillis() == Lease.LOOK_MILLIS;
    }

    /**
     * Sets its next alarm before its batch loses its own, and before listeners are notified, which may take long. A lease that
     * is not renewed is not affected by the failure, and is checked again after another third.
     */
    private void planAgain(Lease lease, Throwable failure) {
        if (lease.isRenewing()) {
            lease.renewalFailed(failure);
        }
        if (lease.isLive()) {
            long delay = lease.isRenewing()
                    ? Math.min(Math.max(lease.leaseNanos() / 10, SHORTEST_RETRY_NANOS), LONGEST_RETRY_NANOS)
                    : lease.leaseNanos() / Lease.RENEWALS_A_LEASE;
            planner.renewAt(lease, ticker.nanos() + delay);
        }
    }

    private void failed(List<Lease> all, Throwable failure) {
        List<Lease> batch = all.stream()
                .filter(lease -> lease.isRenewing() && lease.isLive())
                .toList();
        if (batch.isEmpty()) {
            log.debug(
                    "Renewal call failed, but no lock needs a retry: each was lost in the meantime or was only being checked",
                    failure);
            return;
        }
        List<LockKey> keys = batch.stream().map(Lease::key).toList();
        log.warn(
                "Failed to renew {} lock(s), including {}, held for {}; retrying until the lease expires: {}",
                keys.size(),
                Grant.label(keys.get(0), batch.get(0).name()),
                DurationText.of(batch.get(0).held()),
                failure.toString());
        events.renewalFailed(new LockEvent.RenewalFailed(keys, failure));
    }
}
