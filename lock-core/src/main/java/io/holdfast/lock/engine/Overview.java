package io.holdfast.lock.engine;

import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.LockClient;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockOverview;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockWaits;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.deadlock.WaitGraph;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.overview.RecordedWait;
import io.holdfast.lock.store.overview.StoreScan;
import io.holdfast.lock.store.overview.WaitReport;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All locks of the store. A scan is paced to the requested rate, however fast the store replies, to limit its load.
 */
final class Overview implements LockOverview {

    private static final Logger log = LoggerFactory.getLogger(Overview.class);

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientContext client;
    private final HeldLocks locks;
    private final boolean masking;

    /** @param masking whether keys are shown as hashes */
    Overview(ClientContext client, HeldLocks locks, boolean masking) {
        this.client = client;
        this.locks = locks;
        this.masking = masking;
    }

    @Override
    public LockWaits waits() {
        return new WaitGraph(recorded()).waits();
    }

    private List<RecordedWait> recorded() {
        return client.store().recordedWaits().stream()
                .map(wait -> masking ? masked(wait) : wait)
                .toList();
    }

    private static RecordedWait masked(RecordedWait recorded) {
        WaitReport report = recorded.report();
        NestedWait wait = report.what();
        List<NestedWait.Held> holds = wait.holds().stream()
                .map(held -> new NestedWait.Held(held.key().masked(), held.fencingToken(), held.mode()))
                .toList();
        NestedWait shown = new NestedWait(
                wait.clientId(),
                wait.host(),
                wait.pid(),
                wait.thread(),
                wait.key().masked(),
                wait.mode(),
                wait.waited(),
                holds);
        return new RecordedWait(
                new WaitReport(report.id(), report.ended(), shown), recorded.sinceMicros(), recorded.seenMicros());
    }

    /**
     * Finds out why a wait did not get the lock, with a single call to the store, which has just replied. Makes no call after a
     * single try, because a caller that does not wait is in no cycle, and none if the client is closed. An interrupt of the
     * thread is kept; if it breaks the call, the call is not repeated.
     */
    Blockage blockage(AcquireResult.Contended refused) {
        LockHolder holder = refused.holder().orElse(null);
        if (holder == null || !refused.hasWaited() || locks.isOver(client.id())) {
            return Blockage.UNKNOWN;
        }
        boolean interrupted = Thread.interrupted();
        try {
            return new WaitGraph(recorded()).blockage(client.id(), refused.nestedWait(), refused.key(), holder);
        } catch (RuntimeException e) { // the refusal is what the caller has to learn
            log.debug("Could not find out what the holder of lock '{}' is waiting for", refused.key(), e);
            return Blockage.UNKNOWN;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
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

    /** Whether the scan was completed. An interrupt ends it, and is kept. */
    private boolean walk(StoreScan scan, LockScanRequest request) {
        long start = client.ticker().nanos();
        long next = start;
        try {
            while (scan.step()) {
                long now = client.ticker().nanos();
                if (scan.size() > request.limit()
                        || now - start >= request.timeout().toNanos()) {
                    return false;
                }
                next += SECOND_NANOS / request.callsPerSecond();
                for (; now - next < 0; now = client.ticker().nanos()) {
                    client.pause().pause(next - now);
                }
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
