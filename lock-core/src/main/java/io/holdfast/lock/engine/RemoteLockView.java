package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Terms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One key, or several that are locked together or not at all, as a {@link java.util.concurrent.locks.Lock}. Has no state: all
 * views of a key are the same lock; they are equal if they also request the same terms.
 *
 * @param each the locks, in the order of their keys
 */
record RemoteLockView(LockEngine engine, List<Terms> each) implements RemoteLock {

    /** The maximum number of holds of a shared lock that {@link #toString} describes. */
    private static final int MAX_DESCRIBED = 3;

    private static final long FOREVER = Long.MAX_VALUE;

    @Override
    public LockKey key() {
        return each.get(0).key();
    }

    @Override
    public List<LockKey> keys() {
        return each.stream().map(Terms::key).toList();
    }

    @Override
    public void lock() {
        acquireUninterruptibly(FOREVER);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        acquire(FOREVER, true);
    }

    @Override
    public boolean tryLock() {
        return acquireUninterruptibly(0);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return acquire(Math.min(unit.toNanos(time), FOREVER - 1), true);
    }

    private boolean acquireUninterruptibly(long waitNanos) {
        try {
            return acquire(waitNanos, false);
        } catch (InterruptedException e) {
            throw new AssertionError("An uninterruptible wait was interrupted", e);
        }
    }

    /** A write lock inside a read lock can never be acquired, so a limited wait fails immediately. */
    private boolean acquire(long waitNanos, boolean interruptible) throws InterruptedException {
        if (interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
        AcquireResult result;
        try {
            result = engine.acquire(each, waitNanos, true, interruptible);
        } catch (HeldLocks.WaitsForItself e) {
            if (waitNanos == FOREVER) {
                throw e;
            }
            return false;
        }
        if (result instanceof Handle handle) {
            handle.lockedByView();
        } else if (waitNanos == FOREVER) {
            throw new AssertionError("A wait without a time limit ended without the lock");
        }
        return result instanceof Handle;
    }

    /** Closes the most recently opened handle of each key, or none if one is missing. */
    @Override
    public void unlock() {
        Map<LockKey, Hold> thread = engine.locks().ofCurrentThread();
        List<Hold.Use> last = new ArrayList<>(each.size());
        for (Terms one : each) {
            Hold hold = thread.get(one.key());
            Hold.Use use = hold == null ? null : hold.lastOfView(one.isExclusive());
            if (use == null) {
                throw new IllegalMonitorStateException("Thread "
                        + ClientContext.currentThread().thread() + " has not acquired lock '" + one.key()
                        + "' through a RemoteLock, or has already released it");
            }
            last.add(use);
        }
        new Handle(engine.locks(), thread, last).close();
    }

    @Override
    public int holdCount() {
        return each.stream()
                .mapToInt(one -> held(one).map(Hold::holdCount).orElse(0))
                .min()
                .orElse(0);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return each.stream().allMatch(one -> held(one).filter(Hold::isLive).isPresent());
    }

    @Override
    public boolean isLocked() {
        return each.stream()
                .anyMatch(one ->
                        engine.inspect(one.key()).holders().stream().anyMatch(holder -> holder.mode() == one.mode()));
    }

    @Override
    public Duration remaining() {
        return each.stream()
                .map(one -> held(one).map(Hold::remaining).orElse(Duration.ZERO))
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public long fencingToken() {
        if (each.size() > 1) {
            throw new IllegalStateException(
                    "This lock has several keys, each with its own fencing token; use getLock(\"" + key()
                            + "\").fencingToken()");
        }
        return held(each.get(0))
                .orElseThrow(() -> new IllegalMonitorStateException(
                        "Thread " + ClientContext.currentThread().thread() + " does not hold lock '" + key()
                                + (each.get(0).isExclusive() ? "' exclusively" : "'")))
                .token();
    }

    /** Releases all of the locks, whatever the first calls return. */
    @Override
    public boolean forceUnlock() {
        List<LockHolder> former = new ArrayList<>();
        each.forEach(one -> former.addAll(engine.forceRelease(one.key(), Set.of(one.mode()))));
        return !former.isEmpty();
    }

    /** The thread's hold, lost or not, if it covers the mode of this view: an exclusive hold also permits reading. */
    private Optional<Hold> held(Terms one) {
        return Optional.ofNullable(engine.locks().ofCurrentThread().get(one.key()))
                .filter(hold -> covers(hold, one));
    }

    private static boolean covers(Hold hold, Terms one) {
        return hold.isExclusive() || !one.isExclusive();
    }

    /**
     * Shows the threads that hold the lock, or have lost it, according to the records of this client; does not call the
     * store.
     */
    @Override
    public String toString() {
        List<String> shown = each.stream().map(this::describe).toList();
        return shown.size() == 1 ? shown.get(0) : "RemoteLock" + shown;
    }

    private String describe(Terms one) {
        String holders = engine.holds().stream()
                .filter(hold -> hold.key().equals(one.key()) && covers(hold, one))
                .limit(MAX_DESCRIBED)
                .map(hold -> (hold.isLive() ? "held" : "lost") + " by thread '" + hold.thread() + "', hold count "
                        + hold.holdCount() + ", token " + hold.token())
                .collect(Collectors.joining("; "));
        return "RemoteLock[" + one.key() + ", " + one.mode() + ", "
                + (holders.isEmpty() ? "not held by this client" : holders) + "]";
    }
}
