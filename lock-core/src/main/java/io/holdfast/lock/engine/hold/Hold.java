package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.store.AcquireRequest.HolderInfo;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.waiting.LocalQueue.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A lease, and what the engine stores with it. */
public final class Hold {

    private final Lease lease;
    private final HolderInfo holder;
    private final Terms terms;
    private final boolean resent;
    private final Place place;

    /** The handles that the {@code Lock} view has opened and not closed; used by the acquiring thread only. */
    private final Deque<ClosableHandle> lockedByView = new ArrayDeque<>(1);

    private final List<LossInterrupt> interrupts = new CopyOnWriteArrayList<>();

    /**
     * @param resent whether a send of its acquisition got no reply, and may still arrive
     * @param place the holder's
     */
    public Hold(Lease lease, HolderInfo holder, Terms terms, boolean resent, Place place) {
        this.lease = lease;
        this.holder = holder;
        this.terms = terms;
        this.resent = resent;
        this.place = place;
    }

    public Lease lease() {
        return lease;
    }

    /** A concurrent loss is not missed: either this method sees it, or the loss sees the new interrupt in the list. */
    LossInterrupt interruptOnLoss(Thread thread) {
        var interrupt = new LossInterrupt(thread);
        interrupts.add(interrupt);
        if (lease.isLost()) {
            interrupt.lost();
        }
        return interrupt;
    }

    void endInterrupt(LossInterrupt interrupt) {
        interrupt.end();
        interrupts.remove(interrupt);
    }

    /** The lease is lost: interrupts the threads that asked for it. */
    void interruptHolders() {
        interrupts.forEach(LossInterrupt::lost);
    }

    /** The holder, as far as this client knows. */
    public LockHolder describe(String clientId) {
        return new LockHolder(
                clientId,
                holder.host(),
                holder.pid(),
                holder.thread(),
                Instant.now().minus(lease.held()),
                lease.remaining(),
                lease.token(),
                LockMode.EXCLUSIVE);
    }

    public HolderInfo holder() {
        return holder;
    }

    boolean isResent() {
        return resent;
    }

    /** The last token used of those that the grant reserved; 0 if it reserved only one. */
    long lastToken() {
        return place.lastToken();
    }

    /** Whether other threads of this client are in line for the lock. */
    boolean hasFollowers() {
        return place.hasFollowers();
    }

    /**
     * Hands the lock to the next thread in line, if that thread gets what it would get from the store: a lease of the same length
     * that is renewed, and of which at least half is left, or which is unconfirmed, as a new grant by a message would be. Not
     * handed off: a lease that was extended, because it is longer than the next thread requested; and a lease whose acquisition
     * may still arrive at the store, because its owner id has to be cancelled.
     *
     * @param now on the ticker
     */
    boolean handOff(long now) {
        if (resent || terms.minHoldNanos() > 0 || !terms.renew()) {
            return false;
        }
        long nanos = terms.lease().leaseNanos();
        long left = lease.deadline() - now;
        boolean enough = place.isConfirmed() ? left >= nanos / 2 : terms.isWorthUnconfirmed(left);
        return enough && left <= nanos && lease.leaseNanos() == nanos && place.handOff(lease.deadline());
    }

    /**
     * The store's grant has ended or was lost: the next one in line may call the store. Does nothing if it already may.
     */
    void leaveLine() {
        place.leave();
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
        for (Iterator<ClosableHandle> all = lockedByView.iterator(); all.hasNext(); ) {
            ClosableHandle handle = all.next();
            if (handle.isExclusive() == exclusive) {
                all.remove();
                return handle;
            }
        }
        return null;
    }

    public boolean isLockedByView(boolean exclusive) {
        return lockedByView.stream().anyMatch(handle -> handle.isExclusive() == exclusive);
    }

    /** How much of the limit it takes, if it is shared. */
    public int weight() {
        return terms.weight();
    }

    /**
     * The request to give it back now.
     *
     * @param longestMillis how long its lease was at most; {@link ReleaseRequest#UNKNOWN_LEASE} if that is not known
     */
    ReleaseRequest releaseRequest(long longestMillis) {
        return new ReleaseRequest(lease.key(), lease.owner(), keep(), lastToken(), longestMillis);
    }

    /** Releases it in the background. The caller has ended the lease, so its last token no longer changes. */
    void releaseLater(Cleanup cleanup) {
        cleanup.release(lease.key(), () -> releaseRequest(ReleaseRequest.UNKNOWN_LEASE), lease.leaseNanos());
    }

    /** How long the lock is kept after its release, to be held for its minimum time; rounded up to 1 ms. */
    Duration keep() {
        if (terms.minHoldNanos() == 0) {
            return Duration.ZERO;
        }
        long left = terms.minHoldNanos() - lease.held().toNanos();
        return left <= 0 ? Duration.ZERO : Duration.ofMillis(left / 1_000_000 + 1);
    }
}
