package io.holdfast.lock.spring.autoconfigure.actuate;

import io.holdfast.lock.api.AllLocks;
import io.holdfast.lock.api.ClientId;
import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockWaits;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One scan, of all locks or all jobs, shared by all callers. It runs on demand, and its result or failure is reused until the interval has
 * passed since its end; so the store is not scanned more often, however many users there are. Calls during a scan wait for it.
 *
 * @param <T> the result
 */
final class SharedScan<T> {

    private final Supplier<T> scan;
    private final long intervalNanos;
    private final ReentrantLock scanning = new ReentrantLock();
    private @Nullable Supplier<T> last;
    private long end;

    /**
     * The result of a scan of all locks.
     *
     * @param time when the scan ended
     * @param late the number of this client's locks whose renewal is overdue
     * @param took how long a single call took; if there are several servers, the slowest one
     */
    record Result(Instant time, ClientId client, LockScan scan, LockWaits waits, int late, Duration took) {

        /** @param allLocks null if the template cannot list all locks */
        static Result of(@Nullable AllLocks allLocks) {
            if (allLocks == null) {
                throw new UnsupportedOperationException("The LockTemplate bean does not implement AllLocks");
            }
            LockScan scan = allLocks.scan(LockScanRequest.ALL);
            long asked = System.nanoTime();
            LockWaits waits = allLocks.waits();
            Duration took = Duration.ofNanos(System.nanoTime() - asked);
            int late = allLocks instanceof LocalLocks local ? local.lateRenewals() : 0;
            return new Result(Instant.now(), allLocks.client(), scan, waits, late, took);
        }
    }

    SharedScan(Supplier<T> scan, Duration interval) {
        this.scan = scan;
        this.intervalNanos = interval.toNanos();
    }

    /**
     * {@return the latest result}
     *
     * @throws RuntimeException the failure of the latest scan
     */
    T get() {
        scanning.lock();
        try {
            Supplier<T> outcome = last;
            if (outcome == null || System.nanoTime() - end > intervalNanos) {
                outcome = scan();
                end = System.nanoTime();
                // The scan of an interrupted thread is incomplete, so its outcome is not shared.
                last = Thread.currentThread().isInterrupted() ? null : outcome;
            }
            return outcome.get();
        } finally {
            scanning.unlock();
        }
    }

    /** The next call scans anew. */
    void forget() {
        scanning.lock();
        try {
            last = null;
        } finally {
            scanning.unlock();
        }
    }

    /** {@return a supplier that returns the result or throws the failure} */
    private Supplier<T> scan() {
        try {
            T result = scan.get();
            return () -> result;
        } catch (RuntimeException e) {
            return () -> {
                throw e;
            };
        }
    }
}
