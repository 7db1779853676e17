package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One grant of a lock, held by this client: who, until when, and by how many handles.
 *
 * <p>Thread-safe without locks. Why it is right:
 *
 * <ul>
 *   <li><b>Handles.</b> One word counts the open handles, those of them that the acquiring thread may reenter by
 *       ("attached"), and those that need the lock alone ("exclusive"); 21 bits each. Entering is one compare-and-set
 *       "open and attached &gt; 0 → +1", leaving is one "open − 1". So whoever brings the count to zero knows that he was
 *       the last, exactly one does, and after that nobody enters: a lease that another thread has closed is never
 *       reentered. In the same way exactly one knows that he was the last that needed the lock alone while others stay,
 *       and after that nobody enters who would need it alone again: the lock is then downgraded.
 *   <li><b>Deadline.</b> It only moves forward, and only to a time that the store has acknowledged: the time before the
 *       call was sent plus the lease. The store ends the lease no earlier than that. Whoever finds the deadline passed
 *       sets the loss, by compare-and-set from "none"; there is no way back. So a handle that answers "held" is held at
 *       the store, and one that has answered "lost" stays lost, even if a late renewal succeeds.
 *   <li><b>Loss is told once</b>, by whoever wins that compare-and-set.
 * </ul>
 */
public final class Lease implements Alarms.Subject {

    private static final int COUNT_BITS = 21;
    private static final long COUNT = (1L << COUNT_BITS) - 1;
    private static final long OPEN = 1L;
    private static final long ATTACHED = 1L << COUNT_BITS;
    private static final long EXCLUSIVE = 1L << (2 * COUNT_BITS);

    /** Times on the ticker are compared by difference, so none may be further away than half of its range. */
    private static final long LONGEST_WARNING_NANOS = Long.MAX_VALUE / 4;

    /** What came of an attempt to enter. */
    public enum Entry {
        /** The handle counts. */
        ENTERED,
        /** All handles are closed, or detached from the thread. */
        NOTHING_TO_REENTER,
        /** The lock is held, but not alone, and would be needed alone. */
        NOT_ALONE
    }

    /** What is left when a handle was closed. */
    public enum Exit {
        /** Others need the lock as it is; or it had been closed by force already. */
        STAYS,
        /** Others are open, but none of them needs the lock alone any more. */
        DOWNGRADES,
        /** It was the last one: the lock is to be released. */
        ENDS
    }

    private final Grant grant;
    private final LeaseTerms terms;
    private final Ticker ticker;
    private final LeaseEvents events;

    /** In one object with the rest: the watchdog looks at thousands of leases in a row. */
    private static final AtomicLongFieldUpdater<Lease> HANDLES =
            AtomicLongFieldUpdater.newUpdater(Lease.class, "handles");

    private static final AtomicLongFieldUpdater<Lease> DEADLINE =
            AtomicLongFieldUpdater.newUpdater(Lease.class, "deadline");
    private static final AtomicLongFieldUpdater<Lease> LEASE_NANOS =
            AtomicLongFieldUpdater.newUpdater(Lease.class, "leaseNanos");
    private static final AtomicIntegerFieldUpdater<Lease> RENEWING_HANDLES =
            AtomicIntegerFieldUpdater.newUpdater(Lease.class, "renewingHandles");
    private static final AtomicIntegerFieldUpdater<Lease> BOUND_HANDLES =
            AtomicIntegerFieldUpdater.newUpdater(Lease.class, "boundHandles");
    private static final AtomicReferenceFieldUpdater<Lease, LockEvent.@Nullable Lost> LOSS =
            AtomicReferenceFieldUpdater.newUpdater(Lease.class, LockEvent.Lost.class, "loss");

    private volatile long handles;
    private volatile long deadline;
    private volatile long leaseNanos;
    private volatile int renewingHandles;
    private volatile int boundHandles;

    /** Which handles are bound to; only one is, since one thread at a time reenters. */
    private volatile @Nullable Thread boundTo;

    private volatile LockEvent.@Nullable Lost loss;
    private final LossActions lossActions = new LossActions();
    private volatile @Nullable Throwable lastFailure;

    /** When the next renewal is due, and whether it is under way; the keeper's, written by one of its threads at a time. */
    volatile long renewAt;

    volatile boolean renewalPending;

    /** The store may have taken it away, and is to be asked once more; not before that time. Under this lease's monitor. */
    volatile boolean doubted;

    long doubtableAt;
    volatile boolean longHoldReported;
    /** The batch that it is renewed with; then it has no alarm of its own. Written under this lease's monitor. */
    volatile @Nullable Batch batch;

    /** Guarded by this lease's monitor. */
    Alarms.@Nullable Alarm alarm;

    /**
     * Creates an instance, with one handle open.
     *
     * @param grant what was granted
     * @param terms how to treat it
     * @param ticker the clock
     * @param events is told of the loss
     */
    public Lease(Grant grant, LeaseTerms terms, Ticker ticker, LeaseEvents events) {
        this.grant = grant;
        this.terms = terms;
        this.ticker = ticker;
        this.events = events;
        this.handles = ATTACHED + OPEN + (grant.exclusive() ? EXCLUSIVE : 0);
        this.leaseNanos = terms.leaseNanos();
        this.deadline = grant.deadline();
        this.doubtableAt = grant.at();
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
     * Takes a handle out of the thread's bookkeeping; it stays open.
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

    /** {@return how many open handles are attached to the thread that acquired the lock} */
    public int holdCount() {
        return (int) attached(handles);
    }

    /**
     * Whether the lock is certainly held now. Discovers the loss if the deadline has passed.
     *
     * @return false once lost or closed
     */
    public boolean isLive() {
        return isOpen() && loss() == null;
    }

    /**
     * The loss, if the lease is lost. Discovers it if the deadline has passed; a closed lease is not lost any more.
     *
     * @return what happened, or null
     */
    public LockEvent.@Nullable Lost loss() {
        return loss(ticker.nanos());
    }

    /** {@return whether the lease was declared lost; unlike {@link #loss()}, discovers nothing} */
    public boolean isLost() {
        return loss != null;
    }

    LockEvent.@Nullable Lost loss(long now) {
        LockEvent.Lost known = loss;
        if (known == null && now - deadline >= 0 && isOpen()) {
            return lose(isRenewing() ? LossCause.EXPIRED : LossCause.LIMIT_REACHED);
        }
        return known;
    }

    /**
     * Declares the lease lost, unless it is already.
     *
     * @param cause why
     * @return what happened: this, or the earlier loss
     */
    public LockEvent.Lost lose(LossCause cause) {
        var lost = new LockEvent.Lost(key(), name(), token(), held(), cause, lastFailure);
        if (LOSS.compareAndSet(this, null, lost)) {
            events.lost(this, lost);
        }
        return Objects.requireNonNull(loss);
    }

    /**
     * Has the action run once, when the lease is lost.
     *
     * @param action is told of the loss
     * @return the action to be run by {@link #tellLoss}, or by a caller who finds the lease lost already
     */
    public Consumer<LockEvent.Lost> addLossAction(Consumer<LockEvent.Lost> action) {
        return lossActions.add(action);
    }

    /**
     * Runs the actions that have not run yet.
     *
     * @param lost what happened
     * @param guard runs each, and deals with what it throws
     */
    public void tellLoss(LockEvent.Lost lost, Consumer<Runnable> guard) {
        lossActions.run(lost, guard);
    }

    /**
     * The store has acknowledged that the lease lasts longer. Never shortens it; comes too late if the former deadline
     * has passed.
     *
     * @param until the new deadline, counted from before the call was sent
     */
    public void extendTo(long until) {
        if (loss() == null) {
            DEADLINE.accumulateAndGet(this, until, (a, b) -> a - b >= 0 ? a : b);
            lastFailure = null;
        }
    }

    /**
     * Renewals from now on ask for at least this lease.
     *
     * @param nanos the lease in nanoseconds
     */
    public void raiseLease(long nanos) {
        LEASE_NANOS.accumulateAndGet(this, nanos, Math::max);
    }

    /** A handle that wants the lease to be renewed was opened. */
    public void startRenewing() {
        RENEWING_HANDLES.incrementAndGet(this);
    }

    /** A handle that wanted the lease to be renewed was closed. */
    public void stopRenewing() {
        RENEWING_HANDLES.decrementAndGet(this);
    }

    /** {@return whether the lease is to be renewed: some open handle wants it, and its limit has not come} */
    public boolean isRenewing() {
        return renewingHandles > 0 && !isLimitReached();
    }

    /** {@return whether the lock has been held for its {@code maxHold}, so that nothing makes it last longer} */
    public boolean isLimitReached() {
        return terms.maxHoldNanos() != LeaseTerms.UNLIMITED && heldNanos() >= terms.maxHoldNanos();
    }

    /** A handle was opened that ends with the current thread. */
    public void bind() {
        bindTo(Thread.currentThread());
    }

    void bindTo(Thread thread) {
        boundTo = thread;
        BOUND_HANDLES.incrementAndGet(this);
    }

    /** A handle that ended with its thread was closed or detached. */
    public void unbind() {
        BOUND_HANDLES.decrementAndGet(this);
    }

    /** Whether all handles that are open would have ended with the thread, which is dead. */
    boolean isBoundThreadDead() {
        int bound = boundHandles;
        Thread thread = boundTo;
        return bound > 0 && thread != null && !thread.isAlive() && bound == open(handles);
    }

    void renewalFailed(Throwable failure) {
        lastFailure = failure;
    }

    /** {@return until when it is held, on the ticker} */
    public long deadline() {
        return deadline;
    }

    /** {@return how long after its grant it can end at the latest without renewal, in nanoseconds} */
    public long longestNanos() {
        return Math.max(leaseNanos, deadline - grant.at());
    }

    /** {@return the current lease, in nanoseconds} */
    public long leaseNanos() {
        return leaseNanos;
    }

    /** {@return how long the lock is certainly held without renewal; zero if it is not held} */
    public Duration remaining() {
        return isLive() ? Duration.ofNanos(Math.max(0, deadline - ticker.nanos())) : Duration.ZERO;
    }

    /** {@return how long ago the lock was acquired} */
    public Duration held() {
        return Duration.ofNanos(heldNanos());
    }

    long heldNanos() {
        return ticker.nanos() - grant.at();
    }

    /** When the hold began, on the ticker. */
    long heldSince() {
        return grant.at();
    }

    /** When it is to be reported that it is held for long, on the ticker. */
    long warnAt() {
        return grant.at() + Math.min(terms.warnAfterNanos(), LONGEST_WARNING_NANOS);
    }

    /** {@return how to treat it} */
    public LeaseTerms terms() {
        return terms;
    }

    /** {@return what is locked} */
    public LockKey key() {
        return grant.key();
    }

    /** {@return the acquisition that was granted} */
    public OwnerId owner() {
        return grant.owner();
    }

    /** {@return what its use is called, or empty} */
    public String name() {
        return grant.name();
    }

    /**
     * Whether the store should have renewed the lease by now and has not, so that it will be lost unless that changes.
     *
     * @return false also for a lease that is not to be renewed, or is lost
     */
    public boolean isRenewalLate() {
        if (!isRenewing() || !isLive()) {
            return false;
        }
        boolean wasDue = heldNanos() > leaseNanos;
        return lastFailure != null || (wasDue && deadline - ticker.nanos() < leaseNanos / RenewalLoop.RENEWALS_A_LEASE);
    }

    /** {@return the fencing token} */
    public long token() {
        return grant.token();
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

    /** As good as the one of its identity, which the virtual machine would have to make up for each lease. */
    @Override
    public int hashCode() {
        return Long.hashCode(grant.token());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }
}
