package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockClient;
import io.holdfast.lock.api.LockOverview;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.overview.StoreScan;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * All locks of the store. A walk through them is paced: between two steps as much time passes as the rate leaves, whether or not
 * the store is quick, so it takes up no more of it than that.
 */
final class Overview implements LockOverview {

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientContext client;
    private final boolean masking;

    /** @param masking whether keys are shown as hashes */
    Overview(ClientContext client, boolean masking) {
        this.client = client;
        this.masking = masking;
    }

    @Override
    public LockClient client() {
        HolderInfo here = ClientContext.currentThread();
        return new LockClient(client.id(), here.host(), here.pid());
    }

    @Override
    public LockScan scan(LockScanRequest request) {
        StoreScan scan = client.store()
                .openScan(request.keyPrefix())
                .orElseThrow(() ->
                        new UnsupportedOperationException("This lock store cannot list its locks: " + client.store()));
        boolean ended = walk(scan, request);
        List<LockStatus> found = scan.found().stream()
                .sorted(Comparator.comparing(status -> status.key().value()))
                .limit(request.limit())
                .map(this::shown)
                .toList();
        return new LockScan(found, ended && scan.isComplete() && scan.size() <= request.limit());
    }

    /** Whether it came to its end. */
    private boolean walk(StoreScan scan, LockScanRequest request) {
        long start = client.ticker().nanos();
        long pace = SECOND_NANOS / request.callsPerSecond();
        for (long steps = 1; scan.step(); steps++) {
            long spent = client.ticker().nanos() - start;
            boolean enough =
                    scan.size() > request.limit() || spent >= request.timeout().toNanos();
            if (enough || !pause(steps * pace - spent)) {
                return false;
            }
        }
        return true;
    }

    /** Whether it was not interrupted. */
    private boolean pause(long nanos) {
        long until = client.ticker().nanos() + nanos;
        try {
            for (long left = nanos; left > 0; left = until - client.ticker().nanos()) {
                client.pause().pause(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private LockStatus shown(LockStatus status) {
        return masking
                ? new LockStatus(
                        status.key().masked(), status.holders(), status.queue(), status.waiters(), status.lastToken())
                : status;
    }
}
