package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;
import java.time.Duration;

/**
 * One lock to be given back.
 *
 * @param key the lock
 * @param owner its holder
 * @param keep if positive, the lock is not freed, but ends by itself after this time, and nobody can renew it
 * @param lastToken the last fencing token that was used of those that the grant reserved; 0 if it reserved only one
 * @param leaseMillis the longest lease that its holder asked for, in milliseconds; {@link #UNKNOWN_LEASE} if that is not
 *     known. After a short one the store may remember the lock until the lease would have ended, and its retention longer
 */
public record ReleaseRequest(LockKey key, OwnerId owner, Duration keep, long lastToken, long leaseMillis) {

    /** The store has to make sure by itself that it forgets the lock in time. */
    public static final long UNKNOWN_LEASE = Long.MAX_VALUE;

    /**
     * A lock to be freed at once, whose grant reserved one token.
     *
     * @param key the lock
     * @param owner its holder
     */
    public ReleaseRequest(LockKey key, OwnerId owner) {
        this(key, owner, Duration.ZERO, 0, UNKNOWN_LEASE);
    }
}
