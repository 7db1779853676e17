package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockClient;
import io.holdfast.lock.api.LockOverview;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockWaits;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One scan of all locks for everybody. It is made on demand, and its result, or failure, is reused until the interval since its end
 * has passed; so however many people look, the store is not scanned more often. Calls during a scan wait for it.
 */
final class SharedScan {

    private final Supplier<@Nullable LockOverview> locks;
    private final long intervalNanos;
    private final ReentrantLock scanning = new ReentrantLock();
    private @Nullable Outcome last;

    /** Of a scan; the failure is null if there is a result. */
    private record Outcome(
            @Nullable Result result, @Nullable RuntimeException failure, long end) {}

    /**
     * What a scan has found.
     *
     * @param time when it ended
     */
    record Result(Instant time, LockClient client, LockScan scan, LockWaits waits) {}

    /** @param locks yields null if the template does not provide an overview */
    SharedScan(Supplier<@Nullable LockOverview> locks, Duration interval) {
        this.locks = locks;
        this.intervalNanos = interval.toNanos();
    }

    /**
     * {@return the latest result}
     *
     * @throws RuntimeException the failure of the latest scan
     */
    Result get() {
        scanning.lock();
        try {
            Outcome outcome = last;
            if (outcome == null || System.nanoTime() - outcome.end > intervalNanos) {
                outcome = scan();
                // An interrupted thread has not come to the end: its outcome is not for others.
                last = Thread.currentThread().isInterrupted() ? null : outcome;
            }
            if (outcome.failure != null) {
                throw outcome.failure;
            }
            return Objects.requireNonNull(outcome.result);
        } finally {
            scanning.unlock();
        }
    }

    private Outcome scan() {
        Result result = null;
        RuntimeException failure = null;
        try {
            LockOverview overview = locks.get();
            if (overview == null) {
                throw new UnsupportedOperationException("The LockTemplate bean does not implement LockOverview");
            }
            LockScan scan = overview.scan(LockScanRequest.ALL);
            result = new Result(Instant.now(), overview.client(), scan, overview.waits());
        } catch (RuntimeException e) {
            failure = e;
        }
        return new Outcome(result, failure, System.nanoTime());
    }
}
