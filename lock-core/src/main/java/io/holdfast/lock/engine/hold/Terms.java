package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request with the client's defaults filled in.
 *
 * @param key the lock
 * @param name the name of this use of the lock
 * @param leaseNanos how long the lock survives without renewal
 * @param maxHoldNanos ends renewal this long after the grant; {@link #UNLIMITED} for no limit
 * @param warnAfterNanos a longer hold is reported once
 * @param outageNanos how long a caller that has already queued waits for the store to recover
 * @param interrupting whether a loss interrupts the thread that holds the lock
 * @param dataKeep how long the data of the lock lives after a write; zero if it is not used
 * @param limit how many callers may hold the lock at the same time; {@link AcquireRequest#EXCLUSIVE} for an exclusive lock
 * @param weight how many of them this caller counts as
 * @param maxWaiting how many calls of the client may wait for the key
 */
public record Terms(
        LockKey key,
        String name,
        long leaseNanos,
        long maxHoldNanos,
        long warnAfterNanos,
        int limit,
        int weight,
        boolean fair,
        boolean renew,
        long minHoldNanos,
        long outageNanos,
        int maxWaiting,
        boolean interrupting,
        Duration dataKeep) {

    /** No limit on the hold. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** The options of a client whose builder sets none. */
    public static final LockRequest STANDARD = LockRequest.of("any")
            .lease(Duration.ofSeconds(30))
            .waitFor(Duration.ofSeconds(5))
            .renew(true)
            .warnAfter(Duration.ofSeconds(60))
            .outageTolerance(Duration.ofSeconds(30));

    private static final long MIN_UNCONFIRMED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * The terms for the first key of a request.
     *
     * @param defaults supply the options that the request does not set; derived from {@link #STANDARD}
     */
    public static Terms of(LockRequest request, LockRequest defaults) {
        long minHold = request.minHold().map(Terms::wholeMillis).orElse(0L);
        long lease = wholeMillis(request.lease().or(defaults::lease).orElseThrow());
        long maxHold =
                request.maxHold().or(defaults::maxHold).map(Duration::toNanos).orElse(UNLIMITED);
        Duration outage =
                request.outageTolerance().or(defaults::outageTolerance).orElseThrow();
        return new Terms(
                request.key(),
                request.name(),
                Math.max(lease, minHold),
                maxHold,
                request.warnAfter().or(defaults::warnAfter).orElseThrow().toNanos(),
                request.mode() == LockMode.EXCLUSIVE ? AcquireRequest.EXCLUSIVE : request.limit(),
                request.weight(),
                request.fair(),
                request.renew().or(defaults::renew).orElseThrow(),
                minHold,
                outage.toNanos(),
                request.maxWaiting(),
                request.interruptOnLoss(),
                request.dataKeep().orElse(Duration.ZERO));
    }

    /**
     * Whether a grant by a message is used before the store has confirmed it, if this much of it is left. Never if the lease is not
     * renewed, or if there is a minimum hold.
     */
    public boolean isWorthUnconfirmed(long leftNanos) {
        return renew && minHoldNanos == 0 && leftNanos >= Math.min(MIN_UNCONFIRMED_NANOS, leaseNanos / 2);
    }

    /**
     * The request that an acquisition sends to the store.
     *
     * @param holder the holder, as the store records it
     * @param waiting whether to create, or keep, an entry in the queue if the lock is not free
     * @param tokens how many fencing tokens to reserve
     */
    public AcquireRequest request(OwnerId owner, HolderInfo holder, boolean waiting, long tokens) {
        return new AcquireRequest(key, owner, leaseMillis(), holder, limit, weight, fair, waiting, tokens, 0, false);
    }

    /** The lease, as the store counts it. */
    public long leaseMillis() {
        return TimeUnit.NANOSECONDS.toMillis(leaseNanos);
    }

    public boolean isExclusive() {
        return limit == AcquireRequest.EXCLUSIVE;
    }

    public LockMode mode() {
        return isExclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED;
    }

    /**
     * Threads of this client line up for the lock, and hand it to each other if these terms are equal: the next holder then
     * gets what it would have received from the store. Null if they do not line up.
     */
    public @Nullable Object handoffTerms() {
        return isExclusive() && !fair
                ? new HandoffTerms(leaseNanos, maxHoldNanos, warnAfterNanos, renew, minHoldNanos)
                : null;
    }

    /**
     * The terms that must be equal for a lock to be handed off.
     *
     * @param renew if false, the lock is never handed off, because the lease is fixed, and the rest of it is shorter
     *     than a new one
     * @param minHoldNanos if positive, the lock is never handed off either; it counts from the grant, so the rest of a
     *     lease may be too short for it
     */
    private record HandoffTerms(
            long leaseNanos, long maxHoldNanos, long warnAfterNanos, boolean renew, long minHoldNanos) {}

    /** The store counts whole milliseconds; a deadline must not count more than the store does. */
    private static long wholeMillis(Duration time) {
        return TimeUnit.MILLISECONDS.toNanos(time.toMillis());
    }
}
