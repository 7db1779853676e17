package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;
import java.time.Duration;

/**
 * One lock to be given back.
 *
 * @param key the lock
 * @param owner its holder
 * @param keep if positive, the lock is not freed, but ends by itself after this time, and nobody can renew it
 * @param lastToken the last fencing token that was used of those that the grant reserved: the rest is given back, but none
 *     from before the grant. {@link #ALL_TOKENS} if it reserved only one, {@link #NO_TOKEN} if none was used
 * @param leaseMillis the longest lease that its holder asked for, in milliseconds; {@link #UNKNOWN_LEASE} if that is not
 *     known. After a short one the store may remember the lock until the lease would have ended, and its retention longer
 */
public record ReleaseRequest(LockKey key, OwnerId owner, Duration keep, long lastToken, long leaseMillis) {

    /** The store has to make sure by itself that it forgets the lock in time. */
    public static final long UNKNOWN_LEASE = Long.MAX_VALUE;

    /** As the last token: all that were reserved count as used. */
    public static final long ALL_TOKENS = 0;

    /** As the last token: none of those that were reserved was used. */
    public static final long NO_TOKEN = 1;

    /**
     * A lock to be freed at once, whose grant reserved one token.
     *
     * @param key the lock
     * @param owner its holder
     */
    public ReleaseRequest(LockKey key, OwnerId owner) {
        this(key, owner, Duration.ZERO, ALL_TOKENS, UNKNOWN_LEASE);
    }

    /**
     * {@return a lock to be freed at once, of whose tokens none was used}
     *
     * @param key the lock
     * @param owner its holder
     */
    public static ReleaseRequest unused(LockKey key, OwnerId owner) {
        return new ReleaseRequest(key, owner, Duration.ZERO, NO_TOKEN, UNKNOWN_LEASE);
    }
}
