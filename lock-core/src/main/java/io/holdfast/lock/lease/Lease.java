package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One grant of a lock, held by this client, and its deadline. {@link LeaseHandles} counts the handles that keep it.
 *
 * <p>Thread-safe without locks, for these reasons:
 *
 * <ul>
 *   <li><b>Deadline.</b> It only moves forward, and only to a time that the store has acknowledged: the time before the call was
 *       sent plus the lease. The store ends the lease no earlier than that. A thread that finds the deadline passed sets the loss, by
 *       compare-and-set from "none"; it is never reset. So a handle that reports "held" is held at the store, and one that has
 *       reported "lost" stays lost, even if a late renewal succeeds.
 *   <li><b>Loss.</b> {@link #lose} is the only way to a loss, and notifies the {@link LossListener} once: in the thread that wins
 *       that compare-and-set.
 * </ul>
 */
public final class Lease extends LeaseHandles {

    /** How often a lease is renewed during its length: after each third. */
    static final int RENEWALS_A_LEASE = 3;

    /**
     * The lease to ask for if it should not be extended. It is shorter than any lease, so the store, which never shortens a
     * confirmed one, changes nothing, and reports whether the lock is still held.
     */
    public static final long LOOK_MILLIS = 1;

    /** Times on the ticker are compared by difference, so none may be further away than half of its range. */
    private static final long LONGEST_WARNING_NANOS = Long.MAX_VALUE / 4;

    /** Is notified of losses. */
    public interface LossListener {

        /**
         * A lease was lost; called once for each lease, by the thread that discovers it.
         *
         * @param lease the lease
         * @param loss what happened
         */
        void lost(Lease lease, LockEvent.Lost loss);
    }

    private final Grant grant;
    private final LeaseTerms terms;
    private final Ticker ticker;
    private final LossListener losses;

    private static final AtomicLongFieldUpdater<Lease> DEADLINE =
            AtomicLongFieldUpdater.newUpdater(Lease.class, "deadline");
    private static final AtomicLongFieldUpdater<Lease> LEASE_NANOS =
            AtomicLongFieldUpdater.newUpdater(Lease.class, "leaseNanos");
    private static final AtomicReferenceFieldUpdater<Lease, LockEvent.@Nullable Lost> LOSS =
            AtomicReferenceFieldUpdater.newUpdater(Lease.class, LockEvent.Lost.class, "loss");

    private volatile long deadline;
    private volatile long leaseNanos;

    /** Whether the store has granted a whole lease, and not only a reservation, in whose place the next call puts its lease. */
    private volatile boolean confirmed;

    private volatile LockEvent.@Nullable Lost loss;
    private final LossActions lossActions = new LossActions();
    private volatile @Nullable Throwable lastFailure;

    /** Its batch, if it is watched; like all fields below, it belongs to the keeper. Guarded by this monitor. */
    volatile @Nullable Batch<Lease> batch;

    /** When the next renewal is due, and whether it is under way; written by one thread of the keeper at a time. */
    volatile long renewAt;

    volatile boolean renewalPending;

    /** Whether the store may have taken it away, and must be asked again, not before the time below. Guarded by this monitor. */
    volatile boolean doubted;

    long doubtableAt;
    volatile boolean longHoldReported;

    /**
     * Creates an instance, with one handle open.
     *
     * @param grant what was granted
     * @param terms how to treat it
     * @param ticker the clock
     * @param losses is notified if it is lost
     */
    public Lease(Grant grant, LeaseTerms terms, Ticker ticker, LossListener losses) {
        super(grant.exclusive());
        this.grant = grant;
        this.terms = terms;
        this.ticker = ticker;
        this.losses = losses;
        this.leaseNanos = terms.leaseNanos();
        this.deadline = grant.deadline();
        this.confirmed = grant.deadline() - grant.at() >= terms.leaseNanos();
        this.doubtableAt = grant.at();
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

    /**
     * Does nothing unless the lease is lost, see {@link #loss()}.
     *
     * @throws LockLostException if it is
     */
    public void throwIfLost() {
        LockEvent.Lost found = loss();
        if (found != null) {
            throw new LockLostException(found);
        }
    }

    /** {@return whether the lease was declared lost; unlike {@link #loss()}, discovers nothing} */
    public boolean isLost() {
        return loss != null;
    }

    boolean isLive(long now) {
        return isOpen() && loss(now) == null;
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
            losses.lost(this, lost);
        }
        return Objects.requireNonNull(loss);
    }

    /**
     * Has the action run once, when the lease is lost.
     *
     * @param action receives the loss
     * @return the action to be run by {@link #tellLoss}, or by a caller that finds the lease lost already
     */
    public Consumer<LockEvent.Lost> addLossAction(Consumer<LockEvent.Lost> action) {
        return lossActions.add(action);
    }

    /** Whether there are actions to be run. One that is added after the loss is run by its caller. */
    public boolean hasLossActions() {
        return !lossActions.isEmpty();
    }

    /**
     * Runs the actions that have not run yet.
     *
     * @param lost what happened
     * @param guard runs each, and handles its exceptions
     */
    public void tellLoss(LockEvent.Lost lost, Consumer<Runnable> guard) {
        lossActions.run(lost, guard);
    }

    /**
     * The store has acknowledged a later deadline. Never shortens the lease; has no effect if the former deadline has passed.
     *
     * @param until the new deadline, counted from before the call was sent
     */
    public void extendTo(long until) {
        if (loss() == null) {
            DEADLINE.accumulateAndGet(this, until, (a, b) -> a - b >= 0 ? a : b);
            confirmed = true;
            lastFailure = null;
        }
    }

    /**
     * {@return the shortest lease that a call may ask for: any, if the lease is confirmed; if not, the rest of it, because this
     * client counts on it, and the store would shorten it}
     */
    public long leastMillis() {
        long left = confirmed ? 0 : deadline - ticker.nanos();
        return Math.max(LOOK_MILLIS, TimeUnit.NANOSECONDS.toMillis(left + TimeUnit.MILLISECONDS.toNanos(1) - 1));
    }

    /**
     * Renewals from now on ask for at least this lease.
     *
     * @param nanos the lease in nanoseconds
     */
    public void raiseLease(long nanos) {
        LEASE_NANOS.accumulateAndGet(this, nanos, Math::max);
    }

    /** {@return whether the lease is renewed: an open handle requires it, and the limit is not reached} */
    public boolean isRenewing() {
        return hasRenewingHandles() && !isLimitReached();
    }

    /** {@return whether the lock has been held for its {@code maxHold}, so that it cannot be extended} */
    public boolean isLimitReached() {
        return terms.maxHoldNanos() != LeaseTerms.UNLIMITED && heldNanos() >= terms.maxHoldNanos();
    }

    boolean isIn(Batch<Lease> other) {
        return batch == other;
    }

    void renewalFailed(Throwable failure) {
        lastFailure = failure;
    }

    /** {@return until when it is held, on the ticker} */
    public long deadline() {
        return deadline;
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

    /** When a long hold is reported, on the ticker. */
    long warnAt() {
        return grant.at() + Math.min(terms.warnAfterNanos(), LONGEST_WARNING_NANOS);
    }

    /** {@return how to treat it} */
    public LeaseTerms terms() {
        return terms;
    }

    /** {@return the lock} */
    public LockKey key() {
        return grant.key();
    }

    /** {@return the acquisition that was granted} */
    public OwnerId owner() {
        return grant.owner();
    }

    /** {@return the name of its use, or empty} */
    public String name() {
        return grant.name();
    }

    /**
     * Whether the store should have renewed the lease by now and has not, so that it will be lost if this continues.
     *
     * @return false also for a lease that is not to be renewed, or is lost
     */
    public boolean isRenewalLate() {
        if (!isRenewing() || !isLive()) {
            return false;
        }
        boolean wasDue = heldNanos() > leaseNanos;
        return lastFailure != null || (wasDue && deadline - ticker.nanos() < leaseNanos / RENEWALS_A_LEASE);
    }

    /** {@return the fencing token} */
    public long token() {
        return grant.token();
    }

    /**
     * As good as the identity hash code, which the virtual machine would have to create for each lease. Locks that were granted
     * together have the same token, but each its own owner.
     */
    @Override
    public int hashCode() {
        return Long.hashCode(grant.owner().sequence());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }
}
