package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One grant of a lock, held by this client: who, until when, and by how many handles.
 *
 * <p>Thread-safe without locks. Why it is right:
 *
 * <ul>
 *   <li><b>Handles.</b> One word counts the open handles (low half), and those of them that the acquiring thread may
 *       reenter by (high half, "attached"). Entering is one compare-and-set "both &gt; 0 → both +1", leaving is one
 *       "open − 1". So whoever brings the count to zero knows that he was the last, exactly one does, and after that
 *       nobody enters: a lease that another thread has closed is never reentered.
 *   <li><b>Deadline.</b> It only moves forward, and only to a time that the store has acknowledged: the time before the
 *       call was sent plus the lease. The store ends the lease no earlier than that. Whoever finds the deadline passed
 *       sets the loss, by compare-and-set from "none"; there is no way back. So a handle that answers "held" is held at
 *       the store, and one that has answered "lost" stays lost, even if a late renewal succeeds.
 *   <li><b>Loss is told once</b>, by whoever wins that compare-and-set.
 * </ul>
 */
public final class Lease {

    private static final long ATTACHED = 1L << 32;
    private static final long OPEN = 1L;

    private final LockKey key;
    private final OwnerId owner;
    private final long token;
    private final LeaseTerms terms;
    private final Thread thread;
    private final Ticker ticker;
    private final LeaseEvents events;
    private final long acquiredAt;

    private final AtomicLong handles = new AtomicLong(ATTACHED + OPEN);
    private final AtomicInteger renewingHandles = new AtomicInteger();
    private final AtomicInteger boundHandles = new AtomicInteger();
    private final AtomicLong deadline;
    private final AtomicLong leaseNanos;
    private final AtomicReference<LockEvent.@Nullable Lost> loss = new AtomicReference<>();
    private final LossActions lossActions = new LossActions();
    private volatile @Nullable Throwable lastFailure;

    /** When the next renewal is due, and whether it is under way; the keeper's, written by one of its threads at a time. */
    volatile long renewAt;

    volatile boolean renewalPending;
    volatile boolean longHoldReported;
    /** Guarded by this lease's monitor. */
    LeaseKeeper.@Nullable Alarm alarm;

    /**
     * Creates an instance.
     *
     * @param key what is locked
     * @param owner the acquisition that was granted
     * @param token its fencing token
     * @param terms how to treat it
     * @param thread the thread that acquired it
     * @param sentAt when the granted call was sent, on the ticker
     * @param ticker the clock
     * @param events is told of the loss
     */
    public Lease(
            LockKey key,
            OwnerId owner,
            long token,
            LeaseTerms terms,
            Thread thread,
            long sentAt,
            Ticker ticker,
            LeaseEvents events) {
        this.key = key;
        this.owner = owner;
        this.token = token;
        this.terms = terms;
        this.thread = thread;
        this.ticker = ticker;
        this.events = events;
        this.acquiredAt = sentAt;
        this.leaseNanos = new AtomicLong(terms.leaseNanos());
        this.deadline = new AtomicLong(sentAt + terms.leaseNanos());
    }

    /**
     * Adds a handle for the thread that holds the lock already: one atomic step.
     *
     * @return false if there is nothing to reenter: all handles are closed, or detached from the thread
     */
    public boolean enter() {
        long now;
        do {
            now = handles.get();
            if (attached(now) == 0 || open(now) == 0) {
                return false;
            }
        } while (!handles.compareAndSet(now, now + ATTACHED + OPEN));
        return true;
    }

    /**
     * Closes a handle.
     *
     * @param attached whether the handle was still attached to its thread
     * @return whether it was the last one, so that the lock is to be released
     */
    public boolean exit(boolean attached) {
        long step = OPEN + (attached ? ATTACHED : 0);
        long now;
        do {
            now = handles.get();
            if (open(now) == 0) {
                return false;
            }
        } while (!handles.compareAndSet(now, now - step));
        return open(now) == 1;
    }

    /**
     * Takes a handle out of the thread's bookkeeping; it stays open.
     */
    public void detach() {
        long now;
        do {
            now = handles.get();
        } while (attached(now) > 0 && !handles.compareAndSet(now, now - ATTACHED));
    }

    /**
     * Closes all handles at once.
     *
     * @return whether any was open, so that the lock is to be released
     */
    public boolean abandon() {
        return open(handles.getAndSet(0)) > 0;
    }

    /** {@return whether any handle is open} */
    public boolean isOpen() {
        return open(handles.get()) > 0;
    }

    /** {@return how many open handles are attached to the thread that acquired the lock} */
    public int holdCount() {
        return (int) attached(handles.get());
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
        LockEvent.Lost known = loss.get();
        if (known == null && ticker.nanos() - deadline.get() >= 0 && isOpen()) {
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
        var lost = new LockEvent.Lost(key, token, held(), cause, lastFailure);
        LockEvent.Lost earlier = loss.compareAndExchange(null, lost);
        if (earlier != null) {
            return earlier;
        }
        events.lost(this, lost);
        return lost;
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
            deadline.accumulateAndGet(until, (a, b) -> a - b >= 0 ? a : b);
            lastFailure = null;
        }
    }

    /**
     * Renewals from now on ask for at least this lease.
     *
     * @param nanos the lease in nanoseconds
     */
    public void raiseLease(long nanos) {
        leaseNanos.accumulateAndGet(nanos, Math::max);
    }

    /** A handle that wants the lease to be renewed was opened. */
    public void startRenewing() {
        renewingHandles.incrementAndGet();
    }

    /** A handle that wanted the lease to be renewed was closed. */
    public void stopRenewing() {
        renewingHandles.decrementAndGet();
    }

    /** {@return whether the lease is to be renewed: some open handle wants it, and its limit has not come} */
    public boolean isRenewing() {
        return renewingHandles.get() > 0 && !isLimitReached();
    }

    /** {@return whether the lock has been held for its {@code maxHold}, so that nothing makes it last longer} */
    public boolean isLimitReached() {
        return heldNanos() >= terms.maxHoldNanos();
    }

    /** A handle that ends with its thread was opened. */
    public void bind() {
        boundHandles.incrementAndGet();
    }

    /** A handle that ended with its thread was closed or detached. */
    public void unbind() {
        boundHandles.decrementAndGet();
    }

    /** Whether all handles that are open would have ended with the thread, which is dead. */
    boolean isBoundThreadDead() {
        int bound = boundHandles.get();
        return bound > 0 && !thread.isAlive() && bound == open(handles.get());
    }

    void renewalFailed(Throwable failure) {
        lastFailure = failure;
    }

    /** {@return until when it is held, on the ticker} */
    public long deadline() {
        return deadline.get();
    }

    /** {@return the current lease, in nanoseconds} */
    public long leaseNanos() {
        return leaseNanos.get();
    }

    /** {@return how long the lock is certainly held without renewal; zero if it is not held} */
    public Duration remaining() {
        return isLive() ? Duration.ofNanos(Math.max(0, deadline.get() - ticker.nanos())) : Duration.ZERO;
    }

    /** {@return how long ago the lock was acquired} */
    public Duration held() {
        return Duration.ofNanos(heldNanos());
    }

    long heldNanos() {
        return ticker.nanos() - acquiredAt;
    }

    /** {@return how to treat it} */
    public LeaseTerms terms() {
        return terms;
    }

    /** {@return what is locked} */
    public LockKey key() {
        return key;
    }

    /** {@return the acquisition that was granted} */
    public OwnerId owner() {
        return owner;
    }

    /** {@return the fencing token} */
    public long token() {
        return token;
    }

    private static long open(long word) {
        return word & 0xFFFF_FFFFL;
    }

    private static long attached(long word) {
        return word >>> 32;
    }
}
