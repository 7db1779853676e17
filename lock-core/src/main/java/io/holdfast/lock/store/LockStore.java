package io.holdfast.lock.store;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.overview.RecordedWait;
import io.holdfast.lock.store.overview.StoreScan;
import io.holdfast.lock.store.overview.WaitReport;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Where locks are kept. The port between the engine and Redis, memory, or whatever comes.
 *
 * <p>A lock has holders and a queue of entries. Whatever changes one of them ends by settling the lock: holders whose lease
 * has ended, and entries that nobody has kept alive, are dropped, and as long as the head of the queue may hold the lock
 * together with those who do, the lock is <em>reserved</em> for it: granted for as long as the entry is alive, at most for
 * {@link #RESERVATION}, and its client is {@linkplain WakeListener#granted told}. Its next {@link #acquire}, or a renewal, confirms that, and makes the lease as
 * long as it should be. Nobody passes an entry.
 *
 * <p>What an implementation promises, each method called from any thread:
 *
 * <ul>
 *   <li>Every call is atomic, and may be sent twice: a repeated acquire of the same owner is granted again with the same
 *       token, or a higher one where several servers have to agree, and never shortens a lease.
 *   <li>Leases end by the store's own clock. The caller counts its deadline from before it sent the call, so a store
 *       must not end a lease earlier than its length after it received the call.
 *   <li>Tokens of one key strictly increase over grants, also when the store lost its data.
 *   <li>Entries are served in the order in which the calls that took them arrived.
 *   <li>A reservation that nobody confirms passes to the next live entry. Its own entry is dead then, unless it was heard of
 *       since the reservation was made: then it keeps its place.
 *   <li>A store's clock that went back makes no entry and no reservation last for longer than {@link #ENTRY_TIMEOUT} from when
 *       somebody comes across it.
 *   <li>A call ends within one command timeout, with an answer or a {@link LockStoreException}; one for many locks that
 *       are on several servers, within a few.
 *   <li>What is no longer needed goes away by itself.
 * </ul>
 */
public interface LockStore extends AutoCloseable {

    /**
     * An entry that nobody has asked for or kept for this long is dead. A client is heard of every half second, so one that
     * stands still for two and a half seconds keeps its entries, and one that died holds up others for less than three and a
     * half.
     */
    Duration ENTRY_TIMEOUT = Duration.ofMillis(3400);

    /**
     * For how long at most a lock waits to be confirmed by the waiter that it is reserved for: until its entry would be dead
     * if the waiter were not heard of again.
     */
    Duration RESERVATION = ENTRY_TIMEOUT;

    /** For how long the waits of a client are remembered that does not record them again. */
    Duration WAITS_TIMEOUT = Duration.ofSeconds(3);

    /**
     * One try to get a lock.
     *
     * @param request what, for whom, for how long
     * @return granted, held by somebody else, or cancelled
     * @throws LockStoreException if the store did not answer or refused
     */
    AcquireReply acquire(AcquireRequest request);

    /**
     * Begins {@link #acquire}: sends it if that is possible without waiting for the answer, so that one thread can ask
     * several stores at the same time.
     *
     * @param request as for {@link #acquire}
     * @return the call, which is not complete before it is awaited
     */
    default Pending<AcquireReply> beginAcquire(AcquireRequest request) {
        return () -> acquire(request);
    }

    /**
     * One try to get several locks in one step: all of them, or none. A refusal changes nothing, so nobody ever sees that some
     * of them were granted.
     *
     * @param requests one for each lock, none of which is waiting, raising, or asks for a least token
     * @return all granted; or the first refusal; or that each has to be asked for by itself, as by default
     * @throws LockStoreException if the store did not answer or refused; if the outcome is unknown, any of them may be granted
     */
    default AcquireAllReply acquireAll(List<AcquireRequest> requests) {
        return new AcquireAllReply.OneByOne();
    }

    /**
     * Gives a lock back, and reserves it for those who wait first. With a {@link ReleaseRequest#keep} it settles nothing.
     *
     * <p>A hold whose lease has ended is none. The one exception: as long as nobody else got the lock, or has an entry, an
     * exclusive hold that is not to be kept is released as if its lease had not ended. An owner that does not hold the lock
     * waits for it no more either: should it have an entry, as after a reservation that lapsed, that is given up, and the lock
     * is settled.
     *
     * @param request which lock, and whose
     * @return what was found
     * @throws LockStoreException if the store did not answer or refused
     */
    ReleaseReply release(ReleaseRequest request);

    /**
     * Begins {@link #release}, as {@link #beginAcquire} does.
     *
     * @param request as for {@link #release}
     * @return the call, which is not complete before it is awaited
     */
    default Pending<ReleaseReply> beginRelease(ReleaseRequest request) {
        return () -> release(request);
    }

    /**
     * Sends {@link #release}, and has nobody wait for the answer. Calls of this store for the same lock that begin later reach it
     * later, as long as no connection breaks.
     *
     * @param request as for {@link #release}
     * @param answered is given the answer, once, on any thread, which it must not block: awaiting it there does not wait
     * @return whether it was sent, or may have been; if not, the lock is still to be released, and nobody is told
     */
    default boolean sendRelease(ReleaseRequest request, Consumer<Pending<ReleaseReply>> answered) {
        return false;
    }

    /**
     * Gives several locks back, each as {@link #release} does; in one call if the store can.
     *
     * @param requests one for each lock
     * @return for each request its answer, in their order; a broken lock, or one that was not asked for, fails alone
     * @throws LockStoreException if the store did not answer or refused all
     */
    default List<Pending<ReleaseReply>> releaseAll(List<ReleaseRequest> requests) {
        return requests.stream()
                .<Pending<ReleaseReply>>map(request -> () -> release(request))
                .toList();
    }

    /**
     * Turns an exclusive hold into a shared one, in one step, with the same lease end and token. An owner that does not
     * hold the lock gives up its entry, as by {@link #release}.
     *
     * @param key the lock
     * @param owner its exclusive holder
     * @param lastToken the last fencing token that was used of those that the grant reserved, as in {@link ReleaseRequest}
     * @return {@code RELEASED} also if the owner holds it shared already
     * @throws LockStoreException if the store did not answer or refused
     */
    ReleaseReply downgrade(LockKey key, OwnerId owner, long lastToken);

    /**
     * Renews or extends leases, each to at least its length from now.
     *
     * @param requests any number of leases
     * @return an answer for each request, in their order; a broken lock, or one that was not asked for, fails alone
     * @throws LockStoreException if the store did not answer or refused all
     */
    List<RenewReply> renew(List<RenewRequest> requests);

    /**
     * Which server keeps a lock, as far as is known without asking. Renewals of locks that are on different servers are
     * sent by different threads, so that a server that hangs holds up nobody else's.
     *
     * @param key the lock
     * @return any text that tells the servers apart; always the same if there is only one
     */
    default String serverOf(LockKey key) {
        return "";
    }

    /**
     * Makes one lease last for at least its length from now, for a caller who waits for it. Does not share connections
     * with {@link #renew}, so that callers cannot hold up the watchdog.
     *
     * @param request the lease
     * @return the answer
     * @throws LockStoreException if the store did not answer or refused
     */
    RenewReply extend(RenewRequest request);

    /** {@return the longest lease that this store grants; a longer one is refused by {@link IllegalArgumentException}} */
    default Duration longestLease() {
        return LockRequest.MAX_TIME;
    }

    /**
     * Keeps entries alive, settles their locks, and tells who is called. Takes no new entries.
     *
     * @param requests the entries of one client, lock by lock
     * @return an answer for each request, in their order; a broken lock, or one that was not asked for, fails alone
     * @throws LockStoreException if the store did not answer or refused all
     */
    List<EntryReply> keepEntries(List<EntryRequest> requests);

    /**
     * Undoes an acquisition that has failed for good: gives up its entry and the lock if it got it, and refuses it should
     * one of its calls still arrive.
     *
     * @param key the lock
     * @param owner whose acquisition it was; never to be used for an acquisition again
     * @param cancelledFor for how long late calls are refused; zero if all calls were answered
     * @param lastToken the last fencing token that was used of those that a grant reserved, as in {@link ReleaseRequest}
     * @throws LockStoreException if the store did not answer or refused
     */
    void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastToken);

    /**
     * For how long a call that was not answered may still be under way once its caller has given it up, as far as anybody can
     * tell. A later one costs time, never the exclusion.
     *
     * @return a few command timeouts
     */
    default Duration longestDelay() {
        return Duration.ofSeconds(3);
    }

    /**
     * Looks at a lock.
     *
     * @param key the lock
     * @return its state at one moment
     * @throws LockStoreException if the store did not answer or refused
     */
    LockSnapshot inspect(LockKey key);

    /**
     * Begins a walk through the locks that anybody holds or waits for. Free ones of which only the last token is remembered are
     * not among them. Calls nobody yet.
     *
     * @param keyPrefix how their keys begin; empty for all
     * @return the walk; empty if this store cannot list its locks, as by default
     */
    default Optional<StoreScan> openScan(String keyPrefix) {
        return Optional.empty();
    }

    /**
     * Records which callers of a client wait for a lock while they hold others, in place of what was recorded before. By default
     * nothing is. Records of a client that is not heard of for {@link #WAITS_TIMEOUT} are forgotten.
     *
     * @param clientId the client
     * @param waits all such waits, each of which the client has seen going on since the previous call returned, unless it has
     *     ended; none to forget them at once. Of one client there is one call at a time
     * @throws LockStoreException if the store did not answer or refused
     */
    default void recordWaits(String clientId, List<WaitReport> waits) {}

    /**
     * {@return what all clients have recorded, as it was at one moment; times are those of one server}
     *
     * @throws LockStoreException if the store did not answer or refused
     */
    default List<RecordedWait> recordedWaits() {
        return List.of();
    }

    /**
     * Takes a lock away from whoever holds it; it passes to those who wait.
     *
     * @param key the lock
     * @return who held it
     * @throws LockStoreException if the store did not answer or refused
     */
    default List<LockHolder> forceRelease(LockKey key) {
        return forceRelease(key, EnumSet.allOf(LockMode.class));
    }

    /**
     * Takes a lock away from those who hold it in one of some modes; it passes to those who wait. Their clients are
     * {@linkplain WakeListener#revoked told}.
     *
     * @param key the lock
     * @param modes whose holds end: who has it alone, who shares it, or all
     * @return who held it in one of these modes
     * @throws LockStoreException if the store did not answer or refused
     */
    List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes);

    /**
     * Has the listener told what concerns one client. Returns at once, connects in the background, and connects again
     * whenever the connection is lost.
     *
     * @param clientId the client, see {@link OwnerId#clientId()}
     * @param listener is told
     * @return ends it; closing does not block for longer than one command timeout
     */
    Listening listen(String clientId, WakeListener listener);

    /**
     * A call that has begun.
     *
     * @param <A> its answer
     */
    @FunctionalInterface
    interface Pending<A> {

        /**
         * Waits for the answer. To be called once, by any thread.
         *
         * @return the answer
         * @throws LockStoreException if the store did not answer or refused
         */
        A await();
    }

    /** A client's subscription. */
    interface Listening extends AutoCloseable {

        /**
         * The client found out by asking what it should have been told: the store makes sure that hints arrive, and says so
         * by {@link WakeListener#connected()}. Does not block.
         */
        default void doubt() {}

        @Override
        void close();
    }

    /**
     * What each server does when its memory is full: {@code noeviction} keeps locks, anything else may delete them. For
     * those who look after the servers; takes up to one command timeout for each.
     *
     * @return policies by server, of a single one under the empty name; {@code unknown} where a server did not answer or
     *     does not tell; empty if there is no server
     */
    default Map<String, String> evictionPolicies() {
        return Map.of();
    }

    /**
     * Closes all connections, for a process that is to be copied: a copy must not go on with them. Calls fail until
     * {@link #connect}. Whoever {@linkplain #listen listens} ends that himself.
     */
    default void disconnect() {}

    /** Takes calls again after {@link #disconnect}. */
    default void connect() {}

    /** Frees connections. The locks stay as they are and end with their leases. */
    @Override
    void close();
}
