package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;
import java.time.Duration;

/**
 * One lock to be released.
 *
 * @param key the lock
 * @param owner the holder
 * @param keep if positive, the lock stays held for this time, and cannot be renewed
 * @param lastFencingToken the last used of the fencing tokens that the grant reserved: later ones are returned, but none from before the grant.
 *     {@link #ALL_TOKENS} if the grant reserved only one, {@link #NO_TOKEN} if none was used
 * @param leaseMillis the longest lease that the holder has requested, in milliseconds; {@link #UNKNOWN_LEASE} if it is unknown. After a
 *     short lease the store need not change the lock's expiry: it remembers the lock until the lease would have expired, and for its
 *     retention
 * @param limit as in the {@link AcquireRequest}
 */
public record ReleaseRequest(
        LockKey key, OwnerId owner, Duration keep, long lastFencingToken, long leaseMillis, int limit) {

    /** The lease is unknown: the store itself makes sure that it forgets the lock in time. */
    public static final long UNKNOWN_LEASE = Long.MAX_VALUE;

    /** As the last token: all reserved tokens count as used. */
    public static final long ALL_TOKENS = 0;

    /** As the last token: none of the reserved tokens was used. */
    public static final long NO_TOKEN = 1;

    /**
     * An exclusive lock whose grant reserved one token, to be released immediately.
     *
     * @param key the lock
     * @param owner the holder
     */
    public ReleaseRequest(LockKey key, OwnerId owner) {
        this(key, owner, Duration.ZERO, ALL_TOKENS, UNKNOWN_LEASE, AcquireRequest.EXCLUSIVE);
    }

    /**
     * {@return an exclusive lock to be released immediately, none of whose tokens was used}
     *
     * @param key the lock
     * @param owner the holder
     */
    public static ReleaseRequest unused(LockKey key, OwnerId owner) {
        return new ReleaseRequest(key, owner, Duration.ZERO, NO_TOKEN, UNKNOWN_LEASE, AcquireRequest.EXCLUSIVE);
    }
}
