package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tidies up at the store in the background what a caller cannot wait for: acquisitions that failed with an unknown
 * outcome, waiters that gave up, releases that Redis did not answer, holds of dead threads.
 *
 * <p>Each is tried again, every 50 ms to 1 s, until it succeeds or one lease has passed since: by then a lock that was
 * granted to it has ended by itself. So what is queued is bounded by the failures of one lease time. If it does not run
 * at all, because the client dies, the store frees everything after the lease as well.
 */
final class Cleanup {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);
    private static final long FIRST_RETRY_MILLIS = 50;
    private static final long LAST_RETRY_MILLIS = 1000;
    private static final int LAST_WORDS_SECONDS = 2;

    private final LockStore store;
    private final ScheduledThreadPoolExecutor executor;

    Cleanup(LockStore store) {
        this.store = store;
        this.executor = new ScheduledThreadPoolExecutor(1, Daemons.named("lock-cleanup"));
        executor.setKeepAliveTime(10, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    /** A waiter gave up; all its calls were answered. */
    void leave(LockKey key, OwnerId owner) {
        submit(key, () -> store.leave(key, owner, Duration.ZERO), LockStore.SEAT_TIMEOUT.toNanos());
    }

    /** An acquisition failed for good, and one of its calls may still arrive. Its owner id is never used again. */
    void undo(LockKey key, OwnerId owner, long leaseNanos) {
        Duration lease = Duration.ofNanos(leaseNanos);
        submit(key, () -> store.leave(key, owner, lease), leaseNanos);
    }

    /** A lock was given back, but a send of its acquisition may still arrive. */
    void bury(LockKey key, OwnerId owner, long leaseNanos, Duration keep) {
        if (keep.isZero()) {
            undo(key, owner, leaseNanos);
        }
    }

    /** Gives back a lock that nobody waits to see released. */
    void release(LockKey key, OwnerId owner, Duration keep, long leaseNanos) {
        submit(
                key,
                () -> store.release(new ReleaseRequest(key, owner, keep, 0, ReleaseRequest.UNKNOWN_LEASE)),
                leaseNanos);
    }

    /** Lets other shared holders in; until then the lock is held alone. */
    void downgrade(LockKey key, OwnerId owner, long leaseNanos) {
        submit(key, () -> store.downgrade(key, owner), leaseNanos);
    }

    private void submit(LockKey key, Runnable task, long patienceNanos) {
        schedule(new Attempt(key, task, System.nanoTime() + patienceNanos), 0);
    }

    private void schedule(Attempt attempt, long delayMillis) {
        try {
            var unused = executor.schedule(() -> run(attempt, delayMillis), delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            runOnce(attempt, delayMillis);
        }
    }

    /** The client is closed: a caller that was waiting until then tidies up itself, and nothing is tried again. */
    private static void runOnce(Attempt attempt, long delayMillis) {
        try {
            if (delayMillis == 0) {
                attempt.task.run();
            }
        } catch (RuntimeException e) {
            log.debug("The client is closed; lock '{}' ends with its lease", attempt.key, e);
        }
    }

    private void run(Attempt attempt, long delayMillis) {
        if (System.nanoTime() - attempt.giveUpAt >= 0) {
            log.debug("Gave up tidying lock '{}', whose lease has ended", attempt.key);
            return;
        }
        try {
            attempt.task.run();
        } catch (LockStoreException e) {
            log.debug("Lock '{}' could not be tidied yet", attempt.key, e);
            schedule(attempt, Math.min(Math.max(2 * delayMillis, FIRST_RETRY_MILLIS), LAST_RETRY_MILLIS));
        } catch (RuntimeException e) {
            log.warn("Tidying lock '{}' failed; it ends with its lease", attempt.key, e);
        }
    }

    /** Does what is queued, once more each and without further repetition, for {@value #LAST_WORDS_SECONDS} s at most. */
    void close() {
        executor.shutdown();
        boolean interrupted = Thread.interrupted();
        try {
            executor.awaitTermination(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        int left = executor.shutdownNow().size();
        if (left > 0) {
            log.warn("Redis did not answer in time at shutdown; {} lock(s) end with their leases", left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private record Attempt(LockKey key, Runnable task, long giveUpAt) {}
}
