package io.holdfast.lock.store;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LockStoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Where locks are kept. The port between the engine and Redis, memory, or whatever comes.
 *
 * <p>What an implementation promises, each method called from any thread:
 *
 * <ul>
 *   <li>Every call is atomic, and may be sent twice: a repeated acquire of the same owner is granted again with the same
 *       token, and never shortens a lease.
 *   <li>Leases end by the store's own clock. The caller counts its deadline from before it sent the call, so a store
 *       must not end a lease earlier than its length after it received the call.
 *   <li>Tokens of one key strictly increase over grants, also when the store lost its data.
 *   <li>A call ends within one command timeout, with an answer or a {@link LockStoreException}.
 *   <li>What is no longer needed goes away by itself.
 * </ul>
 */
public interface LockStore extends AutoCloseable {

    /** A waiting acquisition that has not asked for this long is counted as dead. */
    Duration SEAT_TIMEOUT = Duration.ofSeconds(3);

    /**
     * One try to get a lock.
     *
     * @param request what, for whom, for how long
     * @return granted, held by somebody else, or buried
     * @throws LockStoreException if the store did not answer or refused
     */
    AcquireReply acquire(AcquireRequest request);

    /**
     * Gives a lock back.
     *
     * @param key the lock
     * @param owner its holder
     * @param keep if positive, the lock is not freed, but ends by itself after this time, and nobody can renew it
     * @return what was found
     * @throws LockStoreException if the store did not answer or refused
     */
    ReleaseReply release(LockKey key, OwnerId owner, Duration keep);

    /**
     * Renews or extends leases, each to at least its length from now.
     *
     * @param requests any number of leases
     * @return an answer for each request, in their order; a broken lock fails alone
     * @throws LockStoreException if the store did not answer or refused all
     */
    List<RenewReply> renew(List<RenewRequest> requests);

    /**
     * Makes one lease last for at least its length from now, for a caller who waits for it. Does not share connections
     * with {@link #renew}, so that callers cannot hold up the watchdog.
     *
     * @param request the lease
     * @return the answer
     * @throws LockStoreException if the store did not answer or refused
     */
    RenewReply extend(RenewRequest request);

    /**
     * Undoes an acquisition that has failed for good: gives up its place among the waiters and the lock if it got it,
     * and refuses it should one of its calls still arrive.
     *
     * @param key the lock
     * @param owner whose acquisition it was; never to be used for an acquisition again
     * @param bury for how long late calls are refused; zero if all calls were answered
     * @throws LockStoreException if the store did not answer or refused
     */
    void leave(LockKey key, OwnerId owner, Duration bury);

    /**
     * Looks at a lock.
     *
     * @param key the lock
     * @return its state at one moment
     * @throws LockStoreException if the store did not answer or refused
     */
    LockSnapshot inspect(LockKey key);

    /**
     * Frees a lock, whoever holds it.
     *
     * @param key the lock
     * @return who held it, or empty
     * @throws LockStoreException if the store did not answer or refused
     */
    Optional<LockHolder> forceRelease(LockKey key);

    /** Frees connections. The locks stay as they are and end with their leases. */
    @Override
    void close();
}
