package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockClient;
import io.holdfast.lock.api.LockOverview;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockWaits;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One scan of all locks for all who look. It is made when somebody asks, and answers everybody until the interval since its end
 * is over, a failure included; so the store is scanned as often, however many people look. Who asks during a scan waits for it.
 */
final class SharedScan {

    private final Supplier<@Nullable LockOverview> locks;
    private final long intervalNanos;
    private final ReentrantLock scanning = new ReentrantLock();
    private volatile @Nullable Outcome last;

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
     * @throws RuntimeException what the scan has thrown
     */
    Result get() {
        Outcome outcome = fresh();
        if (outcome == null) {
            scanning.lock();
            try {
                outcome = fresh();
                outcome = outcome == null ? scan() : outcome;
            } finally {
                scanning.unlock();
            }
        }
        if (outcome.result == null) {
            throw outcome.failure == null
                    ? new IllegalStateException("The scan produced neither a result nor a failure")
                    : outcome.failure;
        }
        return outcome.result;
    }

    private @Nullable Outcome fresh() {
        Outcome outcome = last;
        return outcome == null || System.nanoTime() - outcome.end > intervalNanos ? null : outcome;
    }

    /** That of a thread which was interrupted, and so has not come to the end, is its own. */
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
        Outcome outcome = new Outcome(result, failure, System.nanoTime());
        if (!Thread.currentThread().isInterrupted()) {
            last = outcome;
        }
        return outcome;
    }
}
