package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.waiting.LocalQueue.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One lock that this client holds: what was granted, its deadline, and the handles that keep it.
 *
 * <p>Thread-safe without locks, for these reasons:
 *
 * <ul>
 *   <li><b>Deadline.</b> It only moves forward, and only to a time that the store has acknowledged: the time before the call was
 *       sent plus the lease. The store ends the lease no earlier than that. A thread that finds the deadline passed sets the loss, by
 *       compare-and-set from "none"; it is never reset. So a handle that reports "held" is held at the store, and one that has
 *       reported "lost" stays lost, even if a late renewal succeeds.
 *   <li><b>Loss.</b> {@link #lose} is the only way to a loss, and reports it once: in the thread that wins that compare-and-set.
 *   <li><b>Handles.</b> One word counts the open handles, those of them that the acquiring thread may reenter by ("attached"), and
 *       those that need the lock alone ("exclusive"); 21 bits each. Entering is one compare-and-set "open and attached &gt; 0 → +1",
 *       leaving is one "open − 1". So exactly one handle brings the count to zero, knows that it was the last, and after that none
 *       enters: a hold that another thread has closed is never reentered. In the same way exactly one handle knows that it was the
 *       last exclusive one while others stay open, and after that no exclusive handle enters: the lock is then downgraded. Handles
 *       that need renewal, and handles that are bound to their thread, are counted beside that word: no decision needs them to be
 *       counted in the same step.
 * </ul>
 *
 * <p>The monitor guards the loss actions, and what the watchdog plans.
 */
public final class Hold {

    /** How often a lease is renewed during its length: after each third. */
    static final int RENEWALS_A_LEASE = 3;

    /**
     * The lease to ask for if it should not be extended. It is shorter than any lease, so the store, which never shortens a
     * confirmed one, changes nothing, and reports whether the lock is still held.
     */
    public static final long LOOK_MILLIS = 1;

    private static final int COUNT_BITS = 21;
    private static final long COUNT = (1L << COUNT_BITS) - 1;
    private static final long OPEN = 1L;
    private static final long ATTACHED = 1L << COUNT_BITS;
    private static final long EXCLUSIVE = 1L << (2 * COUNT_BITS);

    private static final AtomicLongFieldUpdater<Hold> HANDLES =
            AtomicLongFieldUpdater.newUpdater(Hold.class, "handles");
    private static final AtomicIntegerFieldUpdater<Hold> RENEWING_HANDLES =
            AtomicIntegerFieldUpdater.newUpdater(Hold.class, "renewingHandles");
    private static final AtomicIntegerFieldUpdater<Hold> BOUND_HANDLES =
            AtomicIntegerFieldUpdater.newUpdater(Hold.class, "boundHandles");
    private static final AtomicLongFieldUpdater<Hold> DEADLINE =
            AtomicLongFieldUpdater.newUpdater(Hold.class, "deadline");
    private static final AtomicLongFieldUpdater<Hold> LEASE_NANOS =
            AtomicLongFieldUpdater.newUpdater(Hold.class, "leaseNanos");
    private static final AtomicReferenceFieldUpdater<Hold, LockEvent.@Nullable Lost> LOSS =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, LockEvent.Lost.class, "loss");

    /**
     * What the store has granted, by a reply or by a message, or another thread has handed off.
     *
     * @param owner the acquisition that was granted
     * @param token the fencing token
     * @param at when the hold began, on the ticker: for a grant of the store, before its call was sent
     * @param deadline until when the lock is certainly held without renewal, on the ticker
     * @param tokens how many tokens were reserved; 0 if the lock was handed off
     * @param waiters who waited at the store then
     * @param confirmed whether the store has confirmed it; if not, the lease is still short
     * @param resent whether a send of the acquisition got no reply, and may still arrive
     */
    public record Grant(
            OwnerId owner,
            long token,
            long at,
            long deadline,
            long tokens,
            Waiters waiters,
            boolean confirmed,
            boolean resent) {}

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

    private final LockKey key;
    private final Terms terms;
    private final Grant grant;
    private final HolderInfo holder;
    private final Place place;
    private final Ticker ticker;
    private final BiConsumer<Hold, LockEvent.Lost> onLost;

    private volatile long handles;
    private volatile int renewingHandles;
    private volatile int boundHandles;

    /** The thread that handles are bound to; there is only one, since only one thread reenters. */
    private volatile @Nullable Thread boundTo;

    private volatile long deadline;
    private volatile long leaseNanos;

    /** Whether the store has granted a whole lease, and not only a reservation, in whose place the next call puts its lease. */
    private volatile boolean confirmed;

    private volatile LockEvent.@Nullable Lost loss;
    private volatile @Nullable Throwable lastFailure;

    /** Run when the lock is lost, once each; most holds have none. Written under this monitor, as are the handles below. */
    private volatile List<Consumer<LockEvent.Lost>> lossActions = List.of();

    /** Whose threads a loss interrupts. */
    private volatile List<Handle> interrupted = List.of();

    /** The handles that the {@code Lock} view has opened and not closed; used by the acquiring thread only. */
    private final Deque<ClosableHandle> lockedByView = new ArrayDeque<>(1);

    /** When the {@link Watchdog} looks at it next, on the ticker. Written under this monitor, once it is watched. */
    volatile long lookAt;

    /** When the next renewal is due, and whether it is under way. Guarded by this monitor, as are the doubts. */
    long renewAt;

    boolean renewing;

    /** Whether the store may have taken it away, and must be asked again, not before the time below. */
    boolean doubted;

    long doubtableAt;

    /** Used by the clock thread. */
    volatile boolean longHoldReported;

    /**
     * Creates an instance, with one handle open.
     *
     * @param terms what was asked for
     * @param holder the holder, as the store records it
     * @param place the holder's
     * @param onLost is called once if it is lost, by the thread that discovers it
     */
    public Hold(
            LockKey key,
            Terms terms,
            Grant grant,
            HolderInfo holder,
            Place place,
            Ticker ticker,
            BiConsumer<Hold, LockEvent.Lost> onLost) {
        this.key = key;
        this.terms = terms;
        this.grant = grant;
        this.holder = holder;
        this.place = place;
        this.ticker = ticker;
        this.onLost = onLost;
        this.handles = ATTACHED + OPEN + (terms.isExclusive() ? EXCLUSIVE : 0);
        this.leaseNanos = terms.leaseNanos();
        this.deadline = grant.deadline();
        this.confirmed = grant.deadline() - grant.at() >= leaseNanos;
        this.doubtableAt = grant.at();
    }

    // Handles.

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

    /** Detaches a handle from the thread; it stays open. */
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

    private static long open(long word) {
        return word & COUNT;
    }

    private static long attached(long word) {
        return word >>> COUNT_BITS & COUNT;
    }

    private static long alone(long word) {
        return word >>> (2 * COUNT_BITS);
    }

    /** A handle that wants the lease to be renewed was opened. */
    public void startRenewing() {
        RENEWING_HANDLES.incrementAndGet(this);
    }

    /** A handle that wanted the lease to be renewed was closed. */
    public void stopRenewing() {
        RENEWING_HANDLES.decrementAndGet(this);
    }

    /** A handle was opened that ends with that thread. */
    void bindTo(Thread thread) {
        boundTo = thread;
        BOUND_HANDLES.incrementAndGet(this);
    }

    /** A handle that ended with its thread was closed or detached. */
    void unbind() {
        BOUND_HANDLES.decrementAndGet(this);
    }

    /** Whether all handles that are open would have ended with the thread, which is dead. */
    boolean isBoundThreadDead() {
        int bound = boundHandles;
        Thread thread = boundTo;
        return bound > 0 && thread != null && !thread.isAlive() && bound == open(handles);
    }

    void lockedByView(ClosableHandle handle) {
        lockedByView.push(handle);
    }

    /**
     * Removes and returns the handle that the {@code Lock} view opened last in that mode and has not closed. The caller closes
     * it.
     */
    @Nullable
    public ClosableHandle unlockedByView(boolean exclusive) {
        ClosableHandle last = lockedByView.stream()
                .filter(handle -> handle.isExclusive() == exclusive)
                .findFirst()
                .orElse(null);
        lockedByView.remove(last);
        return last;
    }

    public boolean isLockedByView(boolean exclusive) {
        return lockedByView.stream().anyMatch(handle -> handle.isExclusive() == exclusive);
    }

    // Loss.

    /**
     * {@return whether the lock is certainly held now; false once lost or closed} Discovers the loss if the deadline has passed.
     */
    public boolean isLive() {
        return isOpen() && loss() == null;
    }

    /**
     * The loss, if the lock is lost. Discovers it if the deadline has passed; a closed hold is not lost any more.
     *
     * @return what happened, or null
     */
    public LockEvent.@Nullable Lost loss() {
        LockEvent.Lost known = loss;
        if (known == null && ticker.nanos() - deadline >= 0 && isOpen()) {
            return lose(isRenewing() ? LossCause.EXPIRED : LossCause.LIMIT_REACHED);
        }
        return known;
    }

    /**
     * Does nothing unless the lock is lost, see {@link #loss()}.
     *
     * @throws LockLostException if it is
     */
    public void throwIfLost() {
        LockEvent.Lost found = loss();
        if (found != null) {
            throw new LockLostException(found);
        }
    }

    /** {@return whether the lock was declared lost; unlike {@link #loss()}, discovers nothing} */
    public boolean isLost() {
        return loss != null;
    }

    /**
     * Declares the lock lost, unless it is already.
     *
     * @param cause why
     * @return what happened: this, or the earlier loss
     */
    public LockEvent.Lost lose(LossCause cause) {
        var lost = new LockEvent.Lost(key, name(), token(), held(), cause, lastFailure);
        if (LOSS.compareAndSet(this, null, lost)) {
            onLost.accept(this, lost);
        }
        return Objects.requireNonNull(loss);
    }

    /** Returns the action, which then runs once; for a caller that finds the lock lost already. */
    synchronized Consumer<LockEvent.Lost> addLossAction(Consumer<LockEvent.Lost> action) {
        Consumer<LockEvent.Lost> once = once(action);
        lossActions = with(lossActions, once);
        return once;
    }

    private static <T> List<T> with(List<T> some, T another) {
        return Stream.concat(some.stream(), Stream.of(another)).toList();
    }

    static Consumer<LockEvent.Lost> once(Consumer<LockEvent.Lost> action) {
        AtomicBoolean done = new AtomicBoolean();
        return lost -> {
            if (done.compareAndSet(false, true)) {
                action.accept(lost);
            }
        };
    }

    /** The actions to run after the loss. One that is added later is run by its caller. */
    List<Consumer<LockEvent.Lost>> lossActions() {
        return lossActions;
    }

    /** A concurrent loss is not missed: either this method sees it, or the loss sees the handle in the list. */
    void interruptOnLoss(Handle handle) {
        synchronized (this) {
            interrupted = with(interrupted, handle);
        }
        if (isLost()) {
            handle.interrupt();
        }
    }

    synchronized void endInterrupt(Handle handle) {
        interrupted = interrupted.stream().filter(each -> each != handle).toList();
    }

    /** The lock is lost: interrupts the threads that asked for it. */
    void interruptHolders() {
        interrupted.forEach(Handle::interrupt);
    }

    // The lease.

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

    /** Renewals from now on ask for at least this lease. */
    public void raiseLease(long nanos) {
        LEASE_NANOS.accumulateAndGet(this, nanos, Math::max);
    }

    /** {@return whether the lease is renewed: an open handle requires it, and the limit is not reached} */
    public boolean isRenewing() {
        return renewingHandles > 0 && !isLimitReached();
    }

    /** {@return whether the lock has been held for its {@code maxHold}, so that it cannot be extended} */
    public boolean isLimitReached() {
        long longest = terms.maxHoldNanos();
        return longest != Terms.UNLIMITED && ticker.nanos() - grant.at() >= longest;
    }

    void renewalFailed(Throwable failure) {
        lastFailure = failure;
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
        long now = ticker.nanos();
        boolean wasDue = now - grant.at() > leaseNanos;
        return lastFailure != null || (wasDue && deadline - now < leaseNanos / RENEWALS_A_LEASE);
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
        return Duration.ofNanos(ticker.nanos() - grant.at());
    }

    // The end.

    /**
     * Hands the lock to the next thread in line, if that thread gets what it would get from the store: a lease of the same length
     * that is renewed, and of which at least half is left, or which is unconfirmed, as a new grant by a message would be. Not
     * handed off: a lease that was extended, because it is longer than the next thread requested; and a lease whose acquisition
     * may still arrive at the store, because its owner id has to be cancelled.
     */
    boolean handOff() {
        if (grant.resent() || terms.minHoldNanos() > 0 || !terms.renew()) {
            return false;
        }
        long nanos = terms.leaseNanos();
        long left = deadline - ticker.nanos();
        boolean enough = place.isConfirmed() ? left >= nanos / 2 : terms.isWorthUnconfirmed(left);
        return enough && left <= nanos && leaseNanos == nanos && place.handOff(deadline);
    }

    /** The store's grant has ended or was lost: the next one in line may call the store. Does nothing if it already may. */
    void leaveLine() {
        place.leave();
    }

    /** Whether other threads of this client are in line for the lock. */
    boolean hasFollowers() {
        return place.hasFollowers();
    }

    /** The last token used of those that the grant reserved; 0 if it reserved only one. */
    long lastToken() {
        return place.lastToken();
    }

    /** What was granted. */
    Grant grant() {
        return grant;
    }

    /**
     * The request to give it back now.
     *
     * @param longestMillis how long its lease was at most; {@link ReleaseRequest#UNKNOWN_LEASE} if that is not known
     */
    ReleaseRequest releaseRequest(long longestMillis) {
        return new ReleaseRequest(key, owner(), keep(), lastToken(), longestMillis, terms.limit());
    }

    /** The request for at least that lease from now on. */
    RenewRequest renewRequest(long millis) {
        return new RenewRequest(key, owner(), millis, terms.limit());
    }

    /** How long the lock is kept after its release, to be held for its minimum time; rounded up to 1 ms. */
    private Duration keep() {
        long left = terms.minHoldNanos() == 0 ? 0 : terms.minHoldNanos() - held().toNanos();
        return left <= 0 ? Duration.ZERO : Duration.ofMillis(left / 1_000_000 + 1);
    }

    // Description.

    /** {@return the lock} */
    public LockKey key() {
        return key;
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

    /** {@return how much of the limit it takes, if it is shared} */
    public int weight() {
        return terms.weight();
    }

    Terms terms() {
        return terms;
    }

    /** {@return the holder's thread} */
    public String thread() {
        return holder.thread();
    }

    /** The holder, as far as this client knows. */
    public LockHolder describe(String clientId) {
        return new LockHolder(
                clientId,
                holder.host(),
                holder.pid(),
                holder.thread(),
                Instant.now().minus(held()),
                remaining(),
                token(),
                LockMode.EXCLUSIVE,
                false);
    }

    /** A lock as messages show it: its key, and the name of its use. */
    static String label(LockKey key, String name) {
        return name.isEmpty() ? "'" + key + "'" : "'" + key + "' (" + name + ")";
    }

    /**
     * As good as the identity hash code, which the virtual machine would have to create for each hold. Locks that were granted
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
