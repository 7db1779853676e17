package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;

/**
 * One attempt to acquire a lock.
 *
 * @param key the lock
 * @param owner the acquisition
 * @param leaseMillis how long the lock survives without renewal, in milliseconds
 * @param holder where the acquisition comes from
 * @param limit how many callers may hold the lock at the same time; {@link #EXCLUSIVE} for an exclusive lock
 * @param weight how much of the limit a shared holder takes; 1 to the limit, 1 if exclusive
 * @param fair whether this acquisition, once it has an entry, must not be overtaken by handoffs within another client
 * @param waiting whether the caller will call again. If so, it gets an entry in the queue, or keeps the one that it has; if not, its entry
 *     is removed
 * @param tokens how many consecutive fencing tokens a new exclusive grant reserves; a grant that confirms a reservation keeps the tokens of
 *     the reservation. At least 1, and at most one for each microsecond of the lease
 * @param leastToken the minimum fencing token of a new grant; 0 for none
 * @param raising whether an owner that already holds the lock with a lower token gets {@code leastToken} instead, or a higher token, above
 *     all tokens that the store has granted to others
 */
public record AcquireRequest(
        LockKey key,
        OwnerId owner,
        long leaseMillis,
        HolderInfo holder,
        int limit,
        int weight,
        boolean fair,
        boolean waiting,
        long tokens,
        long leastToken,
        boolean raising) {

    /** The limit of a request for an exclusive lock. */
    public static final int EXCLUSIVE = 0;

    /** {@return whether an exclusive lock is requested} */
    public boolean isExclusive() {
        return limit == EXCLUSIVE;
    }

    /** {@return the same request, but neither fair nor waiting, with the given lease and lowest token} */
    public AcquireRequest oneTry(long lease, long token, boolean raise) {
        return new AcquireRequest(key, owner, lease, holder, limit, weight, false, false, tokens, token, raise);
    }
}
