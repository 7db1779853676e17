package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;

/**
 * One try to get a lock.
 *
 * @param key the lock
 * @param owner whose acquisition this is
 * @param leaseMillis how long the lock survives without renewal, in milliseconds
 * @param holder where the acquisition comes from
 * @param limit how many may hold the lock together; {@link #EXCLUSIVE} for one alone
 * @param weight how much of the limit a shared holder takes; 1 to the limit, 1 if exclusive
 * @param fair whether nobody of another client's line may pass this acquisition once it has an entry
 * @param waiting whether the caller will ask again: then it gets an entry in the queue, or keeps the one it has. If not, a
 *     entry that it has is given up
 * @param tokens how many consecutive fencing tokens an exclusive grant reserves, if it was not reserved with others before; 1 or more, at most one for each
 *     microsecond of the lease
 * @param leastToken the fencing token of a new grant is this, or higher; 0 if it does not matter
 * @param raising whether an owner that holds the lock already, by a lower token, gets the least one instead, or a higher
 *     one, above all that the store has granted to others
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

    /** The limit of a request for the lock alone. */
    public static final int EXCLUSIVE = 0;

    /**
     * A request of weight 1 whose token may be any.
     *
     * @param key the lock
     * @param owner whose acquisition this is
     * @param leaseMillis how long the lock survives without renewal, in milliseconds
     * @param holder where the acquisition comes from
     * @param limit how many may hold the lock together
     * @param fair whether nobody may pass this acquisition once it has an entry
     * @param waiting whether the caller will ask again
     * @param tokens how many consecutive fencing tokens to reserve
     */
    public AcquireRequest(
            LockKey key,
            OwnerId owner,
            long leaseMillis,
            HolderInfo holder,
            int limit,
            boolean fair,
            boolean waiting,
            long tokens) {
        this(key, owner, leaseMillis, holder, limit, 1, fair, waiting, tokens, 0, false);
    }

    /** {@return whether the lock is asked for alone} */
    public boolean isExclusive() {
        return limit == EXCLUSIVE;
    }
}
