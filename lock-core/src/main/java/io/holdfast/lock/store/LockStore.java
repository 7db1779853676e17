package io.holdfast.lock.store;

import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.scan.RecordedWait;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.store.scan.WaitReport;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps locks: the port between the engine and Redis, memory, or another service.
 *
 * <p>A lock has holders and a queue of entries. Every call that changes them ends by settling the lock: holders whose lease has expired,
 * and entries that were not kept alive, are dropped. As long as the head of the queue can hold the lock together with the current holders,
 * the store <em>reserves</em> the lock for it: it grants the lock for as long as the entry is alive, for at most {@link #RESERVATION}, and
 * {@linkplain WakeListener#granted notifies} the client. The client's next {@link #acquire}, or a renewal, confirms the reservation and
 * replaces it with the lease that it requests, even if that ends earlier. An entry is never overtaken.
 *
 * <p>An implementation guarantees the following. Every method may be called from any thread.
 *
 * <ul>
 *   <li>Every call is atomic, and may be sent twice. A repeated acquire by the same owner is granted again with the same token, or with a
 *       higher one if several servers have to agree, and never shortens a lease.
 *   <li>Leases expire by the store's clock. The caller counts its deadline from before it sent the call, so a store must not end a lease
 *       before its full length has passed since the call arrived.
 *   <li>Tokens of one key strictly increase from grant to grant, even if the store has lost its data.
 *   <li>Entries are served in the order in which the calls that created them arrived.
 *   <li>A reservation that is not confirmed passes to the next live entry. The entry that it was made for is then dead, unless its client
 *       has called since the reservation was made: in that case it keeps its place.
 *   <li>If the store's clock is set back, no entry and no reservation lasts longer than {@link #ENTRY_TIMEOUT} from the next call that
 *       detects this.
 *   <li>A call returns or throws a {@link LockStoreException} within one command timeout, or within a few if it concerns many locks on
 *       several servers.
 *   <li>Data that is no longer needed is removed without further calls.
 * </ul>
 */
public interface LockStore extends AutoCloseable {

    /**
     * An entry is dead if for this long its owner has not requested the lock, and no call has kept it alive. A client calls every half
     * second, so a client that is paused for two and a half seconds keeps its entries, and a dead client delays others by less than three
     * and a half seconds.
     */
    Duration ENTRY_TIMEOUT = Duration.ofMillis(3400);

    /**
     * The longest time for which a lock stays reserved for a waiter that does not confirm it: until the waiter's entry would be dead
     * without further calls.
     */
    Duration RESERVATION = ENTRY_TIMEOUT;

    /**
     * How many leases, or entries, a client sends in one call. At about 3 µs each, they occupy a server for less than 2 ms, which delays all
     * other calls to it.
     */
    int MAX_PER_CALL = 600;

    /** How long the recorded waits of a client are kept if the client does not record them again. */
    Duration WAITS_TIMEOUT = Duration.ofSeconds(3);

    /**
     * Tries once to acquire a lock.
     *
     * @param request the lock, the owner and the lease
     * @return granted, held by others, or cancelled
     * @throws LockStoreException if the store failed or did not respond
     */
    AcquireReply acquire(AcquireRequest request);

    /**
     * Starts {@link #acquire}: sends the call without waiting for the reply if the store can, so that one thread can call several stores
     * at the same time.
     *
     * @param request as for {@link #acquire}
     * @return the pending call; it may not complete unless it is awaited
     */
    default Pending<AcquireReply> beginAcquire(AcquireRequest request) {
        return () -> acquire(request);
    }

    /**
     * Tries once to acquire several locks: all of them, or none. Creates no entries.
     *
     * <p>A store that keeps all of them on one server does this in one atomic step: a refusal changes nothing, so no other client ever sees
     * only some of them granted. A store on several servers may request all locks at the same time, and release those that were granted if
     * one was refused, provided that all requests are {@linkplain AcquireRequest#waiting waiting}: such a call may refuse others a lock that
     * it gives back, so it must be one whose caller goes on to wait for its locks.
     *
     * @param requests one for each lock; none of them raises, or sets a least token. They are waiting if the caller, after a refusal, will
     *     request each lock separately and wait for it, with other owner ids, as long as it has time left
     * @return all granted; or the first refusal; or, by default, that each lock must be requested separately
     * @throws LockStoreException if the store failed or did not respond; if the outcome is unknown, any of them may be granted
     */
    default AcquireAllReply acquireAll(List<AcquireRequest> requests) {
        return new AcquireAllReply.OneByOne(false);
    }

    /**
     * Releases a lock, and reserves it for the first waiters. A release with a {@link ReleaseRequest#keep} does not settle the lock.
     *
     * <p>A hold whose lease has expired does not count, with one exception: as long as no other owner has acquired the lock or has an
     * entry, an exclusive hold without a {@code keep} is released as if its lease had not expired. An owner that does not hold the lock
     * stops waiting for it: an entry that it may have, for example after a lapsed reservation, is removed, and the lock is settled.
     *
     * @param request the lock and its owner
     * @return whether the owner held the lock
     * @throws LockStoreException if the store failed or did not respond
     */
    ReleaseReply release(ReleaseRequest request);

    /**
     * Starts {@link #release}, see {@link #beginAcquire}.
     *
     * @param request as for {@link #release}
     * @return the pending call; it may not complete unless it is awaited
     */
    default Pending<ReleaseReply> beginRelease(ReleaseRequest request) {
        return () -> release(request);
    }

    /**
     * Releases several locks, each like {@link #release}; in a single call, or on all servers at the same time, if the store can.
     *
     * @param requests one for each lock
     * @return a reply for each request, in the same order; a lock that is broken, or whose call was not sent, fails individually
     * @throws LockStoreException if the store failed for all of them, or did not respond
     */
    default List<Pending<ReleaseReply>> releaseAll(List<ReleaseRequest> requests) {
        return requests.stream()
                .<Pending<ReleaseReply>>map(request -> () -> release(request))
                .toList();
    }

    /**
     * Turns an exclusive hold into a shared one in one atomic step, with the same end of the lease and the same token. If the owner does
     * not hold the lock, its entry is removed, as by {@link #release}.
     *
     * @param key the lock
     * @param owner the exclusive holder
     * @param lastFencingToken the last used of the fencing tokens that the grant reserved, see {@link ReleaseRequest}
     * @return {@code RELEASED} even if the owner already holds it shared
     * @throws LockStoreException if the store failed or did not respond
     */
    ReleaseReply downgrade(LockKey key, OwnerId owner, long lastFencingToken);

    /**
     * Renews leases: each lasts for at least its length from now; a reservation, for exactly that.
     *
     * @param requests any number of leases
     * @return a reply for each request, in the same order; a lock that is broken, or whose call was not sent, fails individually
     * @throws LockStoreException if the store failed for all of them, or did not respond
     */
    List<RenewReply> renew(List<RenewRequest> requests);

    /**
     * The server that keeps a lock, as far as is known without a call. Renewals of locks on different servers are sent by different
     * threads, so that a hanging server delays only its own renewals.
     *
     * @param key the lock
     * @return any text that identifies the server; always the same if there is only one
     */
    default String serverOf(LockKey key) {
        return "";
    }

    /**
     * Extends one lease like {@link #renew}, for a caller that waits for the reply. Does not share connections with
     * {@link #renew}, so that callers cannot delay the watchdog.
     *
     * @param request the lease
     * @return the reply
     * @throws LockStoreException if the store failed or did not respond
     */
    RenewReply extend(RenewRequest request);

    /** {@return the longest lease that this store grants; longer ones are rejected with an {@link IllegalArgumentException}} */
    default Duration longestLease() {
        return LockRequest.MAX_TIME;
    }

    /**
     * Keeps entries alive, settles their locks, and returns which entries are called. Creates no entries.
     *
     * @param requests the entries of one client; a client that has many in the queue of one lock makes several requests for it
     * @return a reply for each request, in the same order; a lock that is broken, or whose call was not sent, fails individually
     * @throws LockStoreException if the store failed for all of them, or did not respond
     */
    List<EntryReply> keepEntries(List<EntryRequest> requests);

    /**
     * Undoes an acquisition that has failed for good: removes its entry, releases the lock if it was granted, and refuses calls of the
     * acquisition that arrive later.
     *
     * @param key the lock
     * @param owner the acquisition; its id is never used for another one
     * @param cancelledFor how long late calls are refused; zero if all calls received a reply
     * @param lastFencingToken the last used of the fencing tokens that a grant reserved, see {@link ReleaseRequest}
     * @throws LockStoreException if the store failed or did not respond
     */
    void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken);

    /**
     * An estimate of how long a call without a reply may still be in transit after its caller has given up. A call that arrives even
     * later costs time, but never breaks mutual exclusion.
     *
     * @return a few command timeouts
     */
    default Duration longestDelay() {
        return Duration.ofSeconds(3);
    }

    /**
     * Reads the state of a lock.
     *
     * @param key the lock
     * @return its state at one point in time
     * @throws LockStoreException if the store failed or did not respond
     */
    LockStatus inspect(LockKey key);

    /** {@return whether {@link #data} is supported; by default not} */
    default boolean keepsData() {
        return false;
    }

    /**
     * Reads or writes the data of a lock, which is kept apart from the lock: it is forgotten only when the time of the last write has
     * passed, whoever holds the lock.
     *
     * <p>A request with an owner is carried out only if this owner holds the lock exclusively and its lease has not ended, and if no
     * request with a greater fencing token has been: so after a holder has read or written, nothing that an earlier holder has sent
     * arrives any more. Among the writes of one holder, one that arrives after a later one has no effect, because its caller no longer
     * waits for it, or has made both at the same time.
     *
     * @param request what to read or write
     * @return the data; after a write, what it has written. Empty if the owner does not hold the lock; then nothing has changed
     * @throws LockStoreException if the store failed or did not respond
     */
    default Optional<LockData> data(DataRequest request) {
        throw new UnsupportedOperationException("This lock store keeps no data of locks: " + this);
    }

    /**
     * Opens a scan of the locks that are held or waited for. Free locks, of which only the last token is remembered, are not
     * included. Sends no call yet.
     *
     * @param keysStartingWith the beginning of their keys; empty for all
     * @return the scan; empty if this store cannot list its locks, which is the default
     */
    default Optional<StoreScan> openScan(String keysStartingWith) {
        return Optional.empty();
    }

    /**
     * Records the callers of a client that wait for a lock while they hold others. This replaces the client's previous record. The
     * default records nothing. The record of a client that does not repeat this call within {@link #WAITS_TIMEOUT} is dropped.
     *
     * @param clientId the client
     * @param waits all such waits; each of them, unless it is marked as ended, has been in progress at some time since the previous
     *     call returned. Empty to remove the record. A client makes one call at a time
     * @throws LockStoreException if the store failed or did not respond
     */
    default void recordWaits(String clientId, List<WaitReport> waits) {}

    /**
     * {@return what all clients have recorded, at one point in time; all times are those of one server}
     *
     * @throws LockStoreException if the store failed or did not respond
     */
    default List<RecordedWait> recordedWaits() {
        return List.of();
    }

    /**
     * Releases a lock by force, whoever holds it. The lock passes to the waiters.
     *
     * @param key the lock
     * @return the former holders
     * @throws LockStoreException if the store failed or did not respond
     */
    default List<LockHolder> forceRelease(LockKey key) {
        return forceRelease(key, EnumSet.allOf(LockMode.class));
    }

    /**
     * Releases by force the holds of a lock that have one of the given modes. The lock passes to the waiters. The clients of the former
     * holders are {@linkplain WakeListener#revoked notified}.
     *
     * @param key the lock
     * @param modes which holds end: the exclusive one, shared ones, or all
     * @return the former holders
     * @throws LockStoreException if the store failed or did not respond
     */
    List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes);

    /**
     * Subscribes to the messages for one client. Returns immediately, connects in the background, and reconnects whenever the connection
     * is lost.
     *
     * @param clientId the client, see {@link OwnerId#clientId()}
     * @param listener receives the messages
     * @return the subscription; closing it blocks for at most one command timeout
     */
    Listening listen(String clientId, WakeListener listener);

    /**
     * A call that has been started.
     *
     * @param <A> its reply
     */
    @FunctionalInterface
    interface Pending<A> {

        /**
         * Waits for the reply. Must be called exactly once, by any thread.
         *
         * @return the reply
         * @throws LockStoreException if the store failed or did not respond
         */
        A await();
    }

    /** A client's subscription. */
    interface Listening extends AutoCloseable {

        /** The subscription to a store that sends no messages. */
        Listening NONE = () -> {};

        /**
         * A poll has found what a message should have announced. The store checks that messages arrive, and confirms this with {@link
         * WakeListener#connected()}. Does not block.
         */
        default void doubt() {}

        @Override
        void close();
    }

    /**
     * What each server does when its memory is full: {@code noeviction} keeps locks, all other policies may delete them. Takes up
     * to one command timeout for each server.
     *
     * @return policies by server, with an empty name for a single server; {@code unknown} if a server did not respond or does not report
     *     its policy; empty if there is no server
     */
    default Map<String, String> evictionPolicies() {
        return Map.of();
    }

    /**
     * The servers whose latest call failed, for a store on several servers that works as long as most of them do. Sends no call.
     *
     * @return the message of the failure, without secrets, by server; empty if no call failed, or if there is only one server
     */
    default Map<String, String> failedServers() {
        return Map.of();
    }

    /**
     * Reports why locks are slower than necessary although they work, such as a missing permission. Takes up to one command timeout.
     *
     * @return messages that state what to do, without secrets; empty if there is nothing to report
     */
    default List<String> warnings() {
        return List.of();
    }

    /**
     * Closes all connections before the process is copied, since a copy must not use them. Calls fail until {@link #connect}.
     * Subscriptions are closed by their {@linkplain #listen owners}.
     */
    default void disconnect() {}

    /** Accepts calls again after {@link #disconnect}. */
    default void connect() {}

    /** Closes connections. Locks remain as they are, and expire with their leases. */
    @Override
    void close();
}
