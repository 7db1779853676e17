package io.holdfast.lock.engine.client;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background cleanup at the store, for which callers do not wait: acquisitions that failed with an unknown outcome, waiters
 * that gave up, releases without a reply from Redis, holds of dead threads.
 *
 * <p>Each task is repeated until it succeeds or one lease has passed, after which a granted lock has expired on its own.
 * Undoing an acquisition that may still arrive is repeated beyond that, for the longest delay of a call: a server that was
 * suspended for longer than a short lease reads the acquisition when it resumes, and would grant a lock that nobody uses. If a
 * task never runs, because the client dies, the store still frees everything after the lease.
 *
 * <p>Each server has its own worker. After a failure the worker pauses for 50 ms to 1 s, and then continues with the next task.
 * So a failing server receives one command per pause, however many tasks are waiting, and a single broken lock does not block
 * the others. At most {@value #MAX_WAITING} tasks wait; any further locks expire at the end of their leases.
 */
public final class Cleanup {

    private static final Logger log = LoggerFactory.getLogger(Cleanup.class);
    private static final int SHUTDOWN_TIMEOUT_SECONDS = 2;

    public static final int MAX_WAITING = 10_000;

    private final LockStore store;
    private final ServerWorkers<CleanupTask> workers;
    private final Set<CleanupTask> waiting = ConcurrentHashMap.newKeySet();

    /** Whether the limit was reached, which is logged once, until a task succeeds. */
    private final AtomicBoolean full = new AtomicBoolean();

    public Cleanup(LockStore store) {
        this(store, DaemonThreads.pool(Integer.MAX_VALUE, "holdfast-cleanup"));
    }

    /** @param threads do the work; shut down when this is closed */
    public Cleanup(LockStore store, ExecutorService threads) {
        this.store = store;
        this.workers = new ServerWorkers<>(threads, 1, next -> clean(next.get(0)));
    }

    /**
     * An acquisition gave up, or failed for good: its owner id is never used again, and none of its tokens was used.
     *
     * @param leaseNanos its lease if one of its calls may still arrive; 0 if all were answered
     */
    public void leave(LockKey key, OwnerId owner, long leaseNanos) {
        undo(key, owner, leaseNanos, ReleaseRequest.NO_TOKEN, false);
    }

    /**
     * Does the same after a hold, during which any of its tokens may have been used; also if the lock was given back, but a send
     * of its acquisition may still arrive.
     */
    public void undoHold(LockKey key, OwnerId owner, long leaseNanos) {
        undo(key, owner, leaseNanos, ReleaseRequest.ALL_TOKENS, true);
    }

    private void undo(LockKey key, OwnerId owner, long leaseNanos, long lastFencingToken, boolean wasHeld) {
        long failedAt = System.nanoTime();
        submit(
                key,
                () -> store.leave(key, owner, cancellation(leaseNanos, System.nanoTime() - failedAt), lastFencingToken),
                leaseNanos == 0
                        ? LockStore.ENTRY_TIMEOUT.toNanos()
                        : leaseNanos + store.longestDelay().toNanos(),
                wasHeld);
    }

    /**
     * How long late calls of an acquisition are refused, counted from when the store learns of its end.
     *
     * <p>A call may be late because the server was suspended; then the server reads it and the undo in immediate succession. Or
     * the network was down: TCP retransmits at intervals that double, so a call that was in flight when the undo got through
     * arrives after as much time again. A call that arrives even later is granted, and nobody uses the lock for one lease: that
     * costs time, but does not break mutual exclusion. On the other hand, while a lock has a cancellation, the scripts cannot use
     * their short path. So the cancellation lasts for the longest delay that the store knows of, plus the time that the undo
     * took, but never longer than the lease.
     */
    public Duration cancellation(long leaseNanos, long sinceFailedNanos) {
        long delay = store.longestDelay().toNanos() + sinceFailedNanos;
        return Duration.ofNanos(Math.min(leaseNanos, delay));
    }

    /**
     * Releases a lock without making a caller wait, and returns the rest of its block of tokens.
     *
     * @param key the lock
     * @param request creates the request; a minimum hold is counted from the grant, so each attempt requests what is left
     *     of it
     * @param leaseNanos its lease, after which it has ended on its own
     */
    public void release(LockKey key, Supplier<ReleaseRequest> request, long leaseNanos) {
        submit(key, () -> store.release(request.get()), leaseNanos, true);
    }

    /** Lets other shared holders in; until then the lock is held exclusively. */
    public void downgrade(LockKey key, OwnerId owner, long lastFencingToken, long leaseNanos) {
        submit(key, () -> store.downgrade(key, owner, lastFencingToken), leaseNanos, true);
    }

    private void submit(LockKey key, Runnable task, long patienceNanos, boolean wasHeld) {
        if (waiting.size() >= MAX_WAITING) { // a few more if several threads find room at the same time
            if (!full.getAndSet(true)) {
                log.warn(
                        "{} releases are already waiting for a retry; lock '{}' and any others released from now on"
                                + " will expire at the end of their leases",
                        MAX_WAITING,
                        key);
            }
            return;
        }
        CleanupTask cleanup =
                new CleanupTask(key, task, System.nanoTime() + patienceNanos, wasHeld, new AtomicBoolean());
        waiting.add(cleanup);
        if (!enqueue(cleanup)) { // its caller waited until the client was closed; nothing is retried
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                log.debug("The client is closed; lock '{}' will expire at the end of its lease", key, e);
            }
            waiting.remove(cleanup);
        }
    }

    /** Returns false if the client is closed. */
    private boolean enqueue(CleanupTask cleanup) {
        return workers.add(store.serverOf(cleanup.key), List.of(cleanup));
    }

    /** Returns whether the server may be called again immediately: it has replied, or was not called. */
    private boolean clean(CleanupTask cleanup) {
        try {
            if (System.nanoTime() - cleanup.giveUpAt >= 0) {
                log.debug("Gave up cleaning up lock '{}'; its lease has expired", cleanup.key);
            } else {
                cleanup.task.run();
                full.set(false);
            }
            waiting.remove(cleanup);
            return true;
        } catch (LockStoreException e) {
            log.debug("Lock '{}' could not be cleaned up yet", cleanup.key, e);
        } catch (RuntimeException | Error e) {
            if (!cleanup.warned.getAndSet(true)) {
                log.warn("Failed to clean up lock '{}'; retrying until the end of its lease", cleanup.key, e);
            }
        }
        return !enqueue(cleanup);
    }

    /**
     * Runs each waiting task once more, without retries, for {@value #SHUTDOWN_TIMEOUT_SECONDS} s at most. Waits and failed
     * acquisitions that are left over are not counted as locks, because nobody held them.
     */
    public void close() {
        workers.finish(Duration.ofSeconds(SHUTDOWN_TIMEOUT_SECONDS));
        long locks = waiting.stream().filter(CleanupTask::wasHeld).count();
        waiting.clear();
        if (locks > 0) {
            log.warn(
                    "Redis did not respond in time during shutdown; {} lock(s) will expire at the end of their leases",
                    locks);
        }
    }

    /**
     * A task.
     *
     * @param wasHeld whether it gives back a lock that was held; otherwise it ends a wait or an acquisition
     * @param warned whether an unexpected failure of it was logged
     */
    private record CleanupTask(LockKey key, Runnable task, long giveUpAt, boolean wasHeld, AtomicBoolean warned) {}
}
