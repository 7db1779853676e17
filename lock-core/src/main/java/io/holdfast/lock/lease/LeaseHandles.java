package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockMode;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Counts the open handles of a lease, by kind. A superclass, so that a lease is one object: the watchdog reads thousands of them
 * in a row.
 *
 * <p>Thread-safe without locks. One word counts the open handles, those of them that the acquiring thread may reenter by
 * ("attached"), and those that need the lock alone ("exclusive"); 21 bits each. Entering is one compare-and-set "open and
 * attached &gt; 0 → +1", leaving is one "open − 1". So exactly one handle brings the count to zero, knows that it was the last,
 * and after that none enters: a lease that another thread has closed is never reentered. In the same way exactly one handle
 * knows that it was the last exclusive one while others stay open, and after that no exclusive handle enters: the lock is then
 * downgraded.
 *
 * <p>Handles that want the lease to be renewed, and handles that are bound to their thread, are counted beside that word: no
 * decision needs them to be counted in the same step.
 */
abstract class LeaseHandles {

    private static final int COUNT_BITS = 21;
    private static final long COUNT = (1L << COUNT_BITS) - 1;
    private static final long OPEN = 1L;
    private static final long ATTACHED = 1L << COUNT_BITS;
    private static final long EXCLUSIVE = 1L << (2 * COUNT_BITS);

    private static final AtomicLongFieldUpdater<LeaseHandles> HANDLES =
            AtomicLongFieldUpdater.newUpdater(LeaseHandles.class, "handles");
    private static final AtomicIntegerFieldUpdater<LeaseHandles> RENEWING_HANDLES =
            AtomicIntegerFieldUpdater.newUpdater(LeaseHandles.class, "renewingHandles");
    private static final AtomicIntegerFieldUpdater<LeaseHandles> BOUND_HANDLES =
            AtomicIntegerFieldUpdater.newUpdater(LeaseHandles.class, "boundHandles");

    /** The outcome of an attempt to enter. */
    public enum Entry {
        /** The handle counts. */
        ENTERED,
        /** All handles are closed, or detached from the thread. */
        NOTHING_TO_REENTER,
        /** The lock is held, but not exclusively as requested. */
        NOT_ALONE
    }

    /** What is left when a handle was closed. */
    public enum Exit {
        /** Others need the lock as it is; or it had been closed by force already. */
        STAYS,
        /** Others are open, but none of them needs the lock exclusively any more. */
        DOWNGRADES,
        /** It was the last one: the lock has to be released. */
        ENDS
    }

    private volatile long handles;
    private volatile int renewingHandles;
    private volatile int boundHandles;

    /** The thread that handles are bound to; there is only one, since only one thread reenters. */
    private volatile @Nullable Thread boundTo;

    /** With one handle open. */
    LeaseHandles(boolean exclusive) {
        this.handles = ATTACHED + OPEN + (exclusive ? EXCLUSIVE : 0);
    }

    /**
     * Adds a handle for the thread that holds the lock already: one atomic step.
     *
     * @param exclusive whether it needs the lock alone
     * @return whether it counts, and if not, why
     */
    public Entry enter(boolean exclusive) {
        long step = OPEN + ATTACHED + (exclusive ? EXCLUSIVE : 0);
        long now;
        do {
            now = handles;
            if (attached(now) == 0 || open(now) == 0) {
                return Entry.NOTHING_TO_REENTER;
            }
            if (exclusive && alone(now) == 0) {
                return Entry.NOT_ALONE;
            }
        } while (!HANDLES.compareAndSet(this, now, now + step));
        return Entry.ENTERED;
    }

    /**
     * Closes a handle.
     *
     * @param attached whether the handle was still attached to its thread
     * @param exclusive whether it needed the lock alone
     * @return what is left
     */
    public Exit exit(boolean attached, boolean exclusive) {
        long step = OPEN + (attached ? ATTACHED : 0) + (exclusive ? EXCLUSIVE : 0);
        long now;
        do {
            now = handles;
            if (open(now) == 0) {
                return Exit.STAYS;
            }
        } while (!HANDLES.compareAndSet(this, now, now - step));
        if (open(now) == 1) {
            return Exit.ENDS;
        }
        return exclusive && alone(now) == 1 ? Exit.DOWNGRADES : Exit.STAYS;
    }

    /**
     * Detaches a handle from the thread; it stays open.
     */
    public void detach() {
        long now;
        do {
            now = handles;
        } while (open(now) > 0 && attached(now) > 0 && !HANDLES.compareAndSet(this, now, now - ATTACHED));
    }

    /**
     * Closes all handles at once.
     *
     * @return whether any was open, so that the lock is to be released
     */
    public boolean abandon() {
        return open(HANDLES.getAndSet(this, 0)) > 0;
    }

    /** {@return whether any handle is open} */
    public boolean isOpen() {
        return open(handles) > 0;
    }

    /** {@return whether any open handle needs the lock alone} */
    public boolean isExclusive() {
        return alone(handles) > 0;
    }

    /** {@return how it is held now} */
    public LockMode mode() {
        return isExclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED;
    }

    /** {@return how many open handles are attached to the thread that acquired the lock} */
    public int holdCount() {
        return (int) attached(handles);
    }

    /** A handle that wants the lease to be renewed was opened. */
    public void startRenewing() {
        RENEWING_HANDLES.incrementAndGet(this);
    }

    /** A handle that wanted the lease to be renewed was closed. */
    public void stopRenewing() {
        RENEWING_HANDLES.decrementAndGet(this);
    }

    /** Whether some open handle wants the lease to be renewed. */
    final boolean hasRenewingHandles() {
        return renewingHandles > 0;
    }

    /** A handle was opened that ends with the current thread. */
    public void bind() {
        bindTo(Thread.currentThread());
    }

    final void bindTo(Thread thread) {
        boundTo = thread;
        BOUND_HANDLES.incrementAndGet(this);
    }

    /** A handle that ended with its thread was closed or detached. */
    public void unbind() {
        BOUND_HANDLES.decrementAndGet(this);
    }

    /** Whether all handles that are open would have ended with the thread, which is dead. */
    final boolean isBoundThreadDead() {
        int bound = boundHandles;
        Thread thread = boundTo;
        return bound > 0 && thread != null && !thread.isAlive() && bound == open(handles);
    }

    private static long open(long word) {
        return word & COUNT;
    }

    private static long attached(long word) {
        return word >>> COUNT_BITS & COUNT;
    }

    private static long alone(long word) {
        return word >>> (2 * COUNT_BITS);
    }
}
