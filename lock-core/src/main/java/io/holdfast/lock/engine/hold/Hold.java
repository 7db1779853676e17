package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.waiting.LocalQueue.Place;
import io.holdfast.lock.waiting.QueueEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One lock that this client holds: what was granted, its deadline, and its {@linkplain Use uses} by handles.
 *
 * <ul>
 *   <li><b>Deadline.</b> It only moves forward, and only to a time that the store has acknowledged: the time before the call was sent
 *       plus the lease. The store ends the lease no earlier than that. A thread that finds that the deadline has passed sets the
 *       loss, by compare-and-set from "none"; the loss is never reset. So the lock of a handle that reports "held" is held at the
 *       store, and a handle that has reported "lost" stays lost, even if a late renewal succeeds.
 *   <li><b>Loss.</b> Only {@link #lose} declares a loss, and reports it once: on the thread that wins that compare-and-set.
 *   <li><b>Uses.</b> The open uses are in a list that is replaced under the monitor, and read without it. Deciding to add, remove or
 *       detach a use, and doing so, is one step. So exactly one handle removes the last use and knows that it was the last; after
 *       that, no handle enters: a hold that another thread has closed is never reentered. In the same way, exactly one handle knows
 *       that it was the last exclusive one while others stay open; after that, no exclusive handle enters: the lock is then
 *       downgraded.
 * </ul>
 *
 * <p>The monitor also guards the loss actions and the watchdog's plans. Thread-safe.
 */
public final class Hold {

    /** How many times a lease is renewed within its length: after each third of it. */
    static final int RENEWALS_A_LEASE = 3;

    /**
     * The lease to request in order to check a lock without extending its lease. This value is shorter than any real
     * lease, so the store, which never shortens a confirmed one, changes nothing, and reports whether the lock is still
     * held.
     */
    public static final long LOOK_MILLIS = 1;

    /** What remains of the hold when a handle has been closed. */
    public enum Exit {
        /** Other handles need the lock as it is, or the hold had already been closed by force. */
        STAYS,
        /** Other handles are open, but none of them still needs the lock exclusively. */
        DOWNGRADES,
        /** It was the last handle: the lock has to be released. */
        ENDS
    }

    /**
     * One handle's use of the lock.
     *
     * <p><b>Interrupt on loss.</b> Interrupting on a loss and ending the use both hold the monitor of the use. If the loss comes
     * first, the thread is interrupted before the use ends, and the end clears the interrupt flag. If the end comes first, there is no
     * thread left to interrupt. So no thread is interrupted after its use has ended, for example during its next task in a pool; and a
     * thread that is interrupted has already lost the lock, and learns of the loss when it closes the handle.
     */
    public final class Use {

        final Hold hold = Hold.this;
        final Terms terms;

        /** The thread whose death ends it; null for none. */
        private final @Nullable Thread boundTo;

        /** Whether the acquiring thread may reenter the lock through it. Written under the monitor of the hold. */
        volatile boolean attached = true;

        /** Whether a {@code Lock} view opened it and will close it; used by the acquiring thread only. */
        boolean ofView;

        /** The thread that a loss interrupts, and whether it has been interrupted; guarded by this monitor. */
        private @Nullable Thread worker;

        private boolean interrupted;

        /** The loss that was detected when it was closed. Used by the thread that closes it. */
        LockEvent.@Nullable Lost loss;

        private Use(Terms terms, @Nullable Thread boundTo) {
            this.terms = terms;
            this.boundTo = boundTo;
        }

        /**
         * A loss interrupts the current thread from now on. A concurrent loss is not missed: it sees the thread, or is
         * detected here.
         */
        synchronized void interruptOnLoss() {
            worker = Thread.currentThread();
            if (isLost()) {
                interrupt();
            }
        }

        /** Interrupts its thread, because the lock is lost. */
        synchronized void interrupt() {
            Thread thread = worker;
            if (thread != null && !interrupted) {
                interrupted = true;
                thread.interrupt();
            }
        }

        /**
         * Called when the use is about to be closed, or detached from its thread. Only the thread itself can clear its
         * interrupt flag.
         */
        synchronized void endInterrupt() {
            boolean own = worker == Thread.currentThread();
            worker = null;
            if (own && interrupted) {
                Thread.interrupted();
            }
        }
    }

    /** What was requested, and what was granted. */
    final Terms terms;

    final QueueEntry.Grant grant;

    private final HolderInfo holder;

    /** The holder's place in the line of this client; left when the store's grant has ended or has been lost. */
    final Place place;

    private final Ticker ticker;
    private final BiConsumer<Hold, LockEvent.Lost> onLost;

    /** The uses that have not been closed; none is open once the hold was abandoned. Written under this monitor. */
    final List<Use> uses = new CopyOnWriteArrayList<>();

    /**
     * How many uses need the lock exclusively, are attached, or require renewal. Written under this monitor before the list, and read
     * after it, so that a thread that sees a use also sees it counted, unless the use is being closed.
     */
    private int exclusive;

    int attached;
    private int renewable;

    /** Whether all uses were closed by force. */
    private volatile boolean abandoned;

    private final AtomicLong deadline;
    private volatile long leaseNanos;

    /**
     * Whether the store has granted a full lease. Otherwise it has only made a reservation, which the next call replaces
     * with its lease.
     */
    private volatile boolean confirmed;

    private final AtomicReference<LockEvent.@Nullable Lost> loss = new AtomicReference<>();

    /** The failure of a renewal, if none has succeeded since. */
    volatile @Nullable Throwable lastFailure;

    /**
     * Actions to run when the lock is lost; most holds have none. An action that is added after the loss is run by the
     * caller that adds it. Written under this monitor.
     */
    volatile List<Consumer<LockEvent.Lost>> lossActions = List.of();

    /** When the {@link Watchdog} looks at it next, on the ticker. Written under this monitor, once the hold is watched. */
    volatile long lookAt;

    /**
     * When the next renewal is due, and whether one is in progress. Guarded by this monitor, as are the two fields
     * about doubts.
     */
    long renewAt;

    boolean renewing;

    /** Whether the store may have revoked the lock and must be called again, but not before the time below. */
    boolean doubted;

    long doubtableAt;

    /** Used by the clock thread. */
    volatile boolean longHoldReported;

    /** How many times its data was written. */
    private long writes;

    /** Whether the lock was granted in vain: the request that acquired it has begun no work, see {@link Handle#unused}. */
    volatile boolean unused;

    /**
     * Creates a hold without uses.
     *
     * @param terms what was requested
     * @param holder the holder, as the store records it
     * @param place the holder's place in line
     * @param onLost called once if the lock is lost, by the thread that detects the loss
     */
    public Hold(
            Terms terms,
            QueueEntry.Grant grant,
            HolderInfo holder,
            Place place,
            Ticker ticker,
            BiConsumer<Hold, LockEvent.Lost> onLost) {
        this.terms = terms;
        this.grant = grant;
        this.holder = holder;
        this.place = place;
        this.ticker = ticker;
        this.onLost = onLost;
        this.leaseNanos = terms.leaseNanos();
        this.deadline = new AtomicLong(grant.deadline());
        this.confirmed = grant.deadline() - grant.at() >= leaseNanos;
        this.doubtableAt = grant.at();
    }

    // Uses.

    /**
     * Opens the use of the caller that was granted the lock.
     *
     * @param asked what it requested
     * @param boundTo the thread whose death ends it; null for none
     */
    public synchronized Use open(Terms asked, @Nullable Thread boundTo) {
        Use use = new Use(asked, boundTo);
        count(use, 1);
        uses.add(use);
        return use;
    }

    /**
     * Opens a use by the thread that already holds the lock.
     *
     * @param asked what it requests
     * @param boundTo the thread whose death ends it; null for none
     * @return null if no open use is {@linkplain #holdCount attached}, or if the new use needs the lock exclusively and no
     *     open one does
     */
    public synchronized @Nullable Use enter(Terms asked, @Nullable Thread boundTo) {
        return holdCount() == 0 || (asked.isExclusive() && !isExclusive()) ? null : open(asked, boundTo);
    }

    /** Closes a use. Returns what remains of the hold. */
    synchronized Exit exit(Use use) {
        boolean wasExclusive = isExclusive();
        if (!uses.contains(use)) {
            return Exit.STAYS;
        }
        count(use, -1);
        uses.remove(use);
        if (uses.isEmpty()) {
            return abandoned ? Exit.STAYS : Exit.ENDS;
        }
        return wasExclusive && !isExclusive() ? Exit.DOWNGRADES : Exit.STAYS;
    }

    /** Detaches a use from its thread; it stays open. A use that was closed in the meantime no longer counts. */
    synchronized void detach(Use use) {
        attached -= use.attached && uses.contains(use) ? 1 : 0;
        use.attached = false;
    }

    private void count(Use use, int change) {
        exclusive += use.terms.isExclusive() ? change : 0;
        attached += use.attached ? change : 0;
        renewable += use.terms.renew() ? change : 0;
    }

    /** Closes all uses at once. Returns whether any was open, in which case the lock has to be released. */
    synchronized boolean abandon() {
        boolean open = isOpen();
        abandoned = true;
        return open;
    }

    /** {@return whether any use is open} */
    public boolean isOpen() {
        return !abandoned && !uses.isEmpty();
    }

    /** {@return whether any open use needs the lock exclusively} */
    public boolean isExclusive() {
        return isOpen() && exclusive > 0;
    }

    /** {@return the mode in which it is held now} */
    public LockMode mode() {
        return isExclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED;
    }

    /** {@return how many open uses are attached to the thread that acquired the lock} */
    public int holdCount() {
        return isOpen() ? attached : 0;
    }

    /** Whether every open use is bound to a thread that has died. */
    boolean isBoundThreadDead() {
        List<Use> now = List.copyOf(uses);
        return isOpen() && now.stream().allMatch(use -> use.attached && use.boundTo != null && !use.boundTo.isAlive());
    }

    /**
     * {@return the use that a {@code Lock} view opened last in the given mode and has not closed; null if there is none. The caller
     * closes it}
     */
    public @Nullable Use lastOfView(boolean exclusive) {
        Use last = null;
        for (Use use : uses) {
            last = use.ofView && use.terms.isExclusive() == exclusive ? use : last;
        }
        return last;
    }

    // Loss.

    /**
     * {@return whether the lock is certainly held now; false once lost or closed} Detects the loss if the deadline has passed.
     */
    public boolean isLive() {
        return isOpen() && loss() == null;
    }

    /**
     * The loss, if the lock is lost. Detects it if the deadline has passed; a closed hold can no longer be lost.
     *
     * @return what happened, or null
     */
    public LockEvent.@Nullable Lost loss() {
        LockEvent.Lost known = loss.get();
        if (known == null && ticker.nanos() - deadline() >= 0 && isOpen()) {
            return lose(isRenewing() ? LossCause.EXPIRED : LossCause.TIME_LIMIT_REACHED);
        }
        return known;
    }

    /**
     * Checks whether the lock is lost, see {@link #loss()}.
     *
     * @throws LockLostException if it is
     */
    public void throwIfLost() {
        LockEvent.Lost found = loss();
        if (found != null) {
            throw new LockLostException(found);
        }
    }

    /** {@return whether the lock was declared lost; unlike {@link #loss()}, does not check the deadline} */
    public boolean isLost() {
        return loss.get() != null;
    }

    /**
     * Declares the lock lost, unless it is already.
     *
     * @param cause why
     * @return what happened: this loss, or an earlier one
     */
    public LockEvent.Lost lose(LossCause cause) {
        LockEvent.Lost lost = lost(cause);
        if (loss.compareAndSet(null, lost)) {
            onLost.accept(this, lost);
        }
        return Objects.requireNonNull(loss.get());
    }

    LockEvent.Lost lost(LossCause cause) {
        return new LockEvent.Lost(key(), name(), token(), heldFor(), cause, lastFailure);
    }

    /** The action must have an effect only once: a caller that finds the lock lost afterwards also runs it. */
    synchronized void addLossAction(Consumer<LockEvent.Lost> action) {
        lossActions = Stream.concat(lossActions.stream(), Stream.of(action)).toList();
    }

    // The lease.

    /**
     * The store has acknowledged a later deadline. Never shortens the lease; has no effect if the former deadline has passed.
     *
     * @param until the new deadline, counted from before the call was sent
     */
    public void extendTo(long until) {
        if (loss() == null) {
            deadline.accumulateAndGet(until, (a, b) -> a - b >= 0 ? a : b);
            confirmed = true;
            lastFailure = null;
        }
    }

    /**
     * {@return the shortest lease that a call may request: any, if the lease is confirmed; if not, the rest of the reservation,
     * because this client relies on it, and the store would shorten it}
     */
    public long leastMillis() {
        long left = confirmed ? 0 : deadline() - ticker.nanos();
        return Math.max(LOOK_MILLIS, TimeUnit.NANOSECONDS.toMillis(left + TimeUnit.MILLISECONDS.toNanos(1) - 1));
    }

    /** Renewals from now on request at least this lease. */
    public synchronized void raiseLease(long nanos) {
        leaseNanos = Math.max(leaseNanos, nanos);
    }

    /** {@return whether the lease is renewed: an open use requires it, and the limit has not been reached} */
    public boolean isRenewing() {
        return isOpen() && renewable > 0 && !isTimeLimitReached();
    }

    /** {@return whether the lock has been held for its {@code maxHold}, so that it cannot be extended} */
    public boolean isTimeLimitReached() {
        long longest = terms.maxHoldNanos();
        return longest != Terms.UNLIMITED && ticker.nanos() - grant.at() >= longest;
    }

    /**
     * Whether the store should have renewed the lease by now but has not, so that the lock will be lost if this
     * continues.
     *
     * @return also false if the lease is not renewed, or the lock is lost
     */
    public boolean isRenewalLate() {
        if (!isRenewing() || !isLive()) {
            return false;
        }
        long now = ticker.nanos();
        boolean wasDue = now - grant.at() > leaseNanos;
        return lastFailure != null || (wasDue && deadline() - now < leaseNanos / RENEWALS_A_LEASE);
    }

    /** {@return the time until which it is held, on the ticker} */
    public long deadline() {
        return deadline.get();
    }

    /** {@return the current lease, in nanoseconds} */
    public long leaseNanos() {
        return leaseNanos;
    }

    /** {@return how long the lock is certainly held without renewal; zero if it is not held} */
    public Duration remaining() {
        return isLive() ? Duration.ofNanos(Math.max(0, deadline() - ticker.nanos())) : Duration.ZERO;
    }

    /** {@return how long ago the lock was acquired} */
    public Duration heldFor() {
        return Duration.ofNanos(ticker.nanos() - grant.at());
    }

    // The end.

    /**
     * Hands the lock to the next thread in line, if that thread gets what it would get from the store: a lease of the same length
     * that is renewed, and of which at least half is left, or which is unconfirmed, like a new grant by a message. A lease is not
     * handed off if it was extended, because it is longer than the next thread requested; nor if its acquisition may still arrive
     * at the store, because its owner id has to be cancelled.
     */
    boolean handOff() {
        if (grant.resent() || terms.minHoldNanos() > 0 || !terms.renew()) {
            return false;
        }
        long nanos = terms.leaseNanos();
        long left = deadline() - ticker.nanos();
        boolean enough = place.isConfirmed() ? left >= nanos / 2 : terms.isWorthUnconfirmed(left);
        return enough && left <= nanos && leaseNanos == nanos && place.handOff(deadline());
    }

    /**
     * The request to give it back now.
     *
     * @param longestMillis the maximum length of its lease; {@link ReleaseRequest#UNKNOWN_LEASE} if unknown
     */
    ReleaseRequest releaseRequest(long longestMillis) {
        return new ReleaseRequest(key(), owner(), keep(), place.lastFencingToken(), longestMillis, terms.limit());
    }

    /**
     * The request to read its data, or to write it.
     *
     * @param value null to read
     */
    synchronized DataRequest dataRequest(byte @Nullable [] value, Duration keep) {
        return new DataRequest(key(), owner(), token(), value, value == null ? 0 : ++writes, keep);
    }

    /** The request for at least the given lease from now on. */
    RenewRequest renewRequest(long millis) {
        return new RenewRequest(key(), owner(), millis, terms.limit(), place.followers());
    }

    /**
     * How long the lock is kept after its release, so that it is held for its minimum time; rounded up to the next
     * millisecond. Zero if it was granted in vain.
     */
    private Duration keep() {
        long left = terms.minHoldNanos() == 0 || unused
                ? 0
                : terms.minHoldNanos() - heldFor().toNanos();
        return left <= 0 ? Duration.ZERO : Duration.ofMillis(left / 1_000_000 + 1);
    }

    // Description.

    /** {@return the lock} */
    public LockKey key() {
        return terms.key();
    }

    /** {@return the name of its use, or empty} */
    public String name() {
        return terms.name();
    }

    /** {@return the acquisition that was granted} */
    public OwnerId owner() {
        return grant.owner();
    }

    /** {@return the fencing token} */
    public long token() {
        return grant.token();
    }

    /** {@return the holder's thread} */
    public String thread() {
        return holder.thread();
    }

    /** The holder, as far as this client knows. */
    public LockHolder describe(String clientId) {
        return holder.holding(
                clientId, Instant.now().minus(heldFor()), remaining(), token(), LockMode.EXCLUSIVE, false);
    }

    /** The lock as messages show it: its key, and the name of its use. */
    String label() {
        return "'" + key() + (name().isEmpty() ? "'" : "' (" + name() + ")");
    }
}
