package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What to lock, and how. Immutable; whatever is not said is left to the client's {@link LockDefaults}.
 *
 * <pre>{@code
 * LockRequest.of("stock:7").lease(Duration.ofSeconds(10)).waitFor(Duration.ofSeconds(2))
 * LockRequest.of("catalogue").shared()                 // read lock
 * LockRequest.of("mail-gateway").shared(5)             // one of five permits
 * LockRequest.ofAll(List.of("account:1", "account:2")) // both or none
 * }</pre>
 *
 * <p>All times are from 0 ({@code lease} and {@code maxHold} from 100 ms) to 365 days; the store counts in milliseconds, so finer parts are cut.
 *
 * <p>All requests for one key should have the same limit and be either fair or not: each is judged by its own.
 *
 * @param keys what is locked: at least one key, each once, in their natural order, which is the order in which they are
 *     acquired
 * @param name what this use of locks is called, where keys are too many to be told apart: in metrics and lists; empty for
 *     none. It does not change what is locked
 * @param mode alone, or together with others
 * @param limit how many may hold the lock together: 1 if exclusive; 1 to {@link #UNLIMITED} if shared
 * @param fair whether the lock is granted strictly in the order in which requests arrived at the store, over all
 *     clients; if not, threads of one client may get it one after the other while others wait, for a few milliseconds
 * @param lease how long the lock survives without renewal
 * @param waitFor how long to wait for it; zero is one try
 * @param renew whether the lease is renewed while the lock is held
 * @param minHold keeps the lock this long after the grant even if it is released earlier
 * @param maxHold ends renewal this long after the grant; the lease then runs out
 * @param outageTolerance how long a failure of Redis is waited for by who has queued before; zero fails at once
 * @param interruptOnLoss whether a loss of the lock stops the work
 */
public record LockRequest(
        List<LockKey> keys,
        String name,
        LockMode mode,
        int limit,
        boolean fair,
        Optional<Duration> lease,
        Optional<Duration> waitFor,
        Optional<Boolean> renew,
        Optional<Duration> minHold,
        Optional<Duration> maxHold,
        Optional<Duration> outageTolerance,

        boolean interruptOnLoss) {

    /** The shortest lease. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);

    /** The longest time that any setting takes. */
    public static final Duration MAX_TIME = Duration.ofDays(365);

    /** Any number of shared holders. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final Comparator<LockKey> ORDER = Comparator.comparing(LockKey::value);

    /**
     * Checks the components; sorts the keys and drops repeated ones.
     *
     * @throws LockKeyException if there is no key
     * @throws IllegalArgumentException if a time or the limit is out of range; the message says which, and what is
     *     allowed
     */
    public LockRequest {
        if (keys.isEmpty()) {
            throw new LockKeyException("A lock request has no key. Name at least one thing that is to be locked.");
        }
        keys = keys.size() == 1
                ? List.copyOf(keys)
                : keys.stream().distinct().sorted(ORDER).toList();
        if (limit < 1 || (mode == LockMode.EXCLUSIVE && limit != 1)) {
            throw new IllegalArgumentException("limit is " + limit + " for mode " + mode
                    + "; allowed is 1 for EXCLUSIVE, and 1 or more for SHARED");
        }
        lease.ifPresent(value -> checkRange("lease", value, MIN_LEASE));
        waitFor.ifPresent(value -> checkRange("waitFor", value, Duration.ZERO));
        minHold.ifPresent(value -> checkRange("minHold", value, Duration.ZERO));
        maxHold.ifPresent(value -> checkRange("maxHold", value, MIN_LEASE));
        outageTolerance.ifPresent(value -> checkRange("outageTolerance", value, Duration.ZERO));
    }

    /**
     * {@return a request with the client's defaults}
     *
     * @param key what to lock
     * @throws LockKeyException if the text cannot be a key
     */
    public static LockRequest of(String key) {
        return of(LockKey.of(key));
    }

    /**
     * {@return a request with the client's defaults}
     *
     * @param key what to lock
     */
    public static LockRequest of(LockKey key) {
        return all(List.of(key));
    }

    /**
     * A request for several locks, all or nothing: a multi-lock. They are acquired one after the other in the order of
     * their keys, so two requests with overlapping keys never wait for each other in a circle. If one is lost while the
     * others are waited for, all are given back, and the acquisition starts over within the same {@code waitFor}.
     *
     * @param keys what to lock; their order does not matter
     * @return a request with the client's defaults
     * @throws LockKeyException if there is no key, or a text cannot be one
     */
    public static LockRequest ofAll(Collection<String> keys) {
        return all(keys.stream().map(LockKey::of).toList());
    }

    private static LockRequest all(List<LockKey> keys) {
        return new LockRequest(
                keys,
                "",
                LockMode.EXCLUSIVE,
                1,
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    /** {@return what is locked; of several keys the first} */
    public LockKey key() {
        return keys.get(0);
    }

    /**
     * Gives this use of locks a name. Locks are counted and timed by it, so there should be few of them: {@code "order"}, not
     * {@code "order:42"}.
     *
     * @param value the name; empty for none
     * @return a copy with that name
     */
    public LockRequest name(String value) {
        return new LockRequest(
                keys,
                value,
                mode,
                limit,
                fair,
                lease,
                waitFor,
                renew,
                minHold,
                maxHold,
                outageTolerance,
                interruptOnLoss);
    }

    /**
     * {@return a copy whose keys are shown as hashes by logs, exceptions, events and endpoints, see {@link LockKey#masked()}:
     * for keys that are personal data}
     */
    public LockRequest maskKeys() {
        return withKeys(keys.stream().map(LockKey::masked).toList());
    }

    /**
     * A copy for other keys: with a tenant's name in front of each, for example.
     *
     * @param change makes the text of each new key from the text of a former one
     * @return a copy with those keys
     * @throws LockKeyException if a text cannot be a key
     */
    public LockRequest mapKeys(UnaryOperator<String> change) {
        return withKeys(keys.stream().map(key -> mapped(key, change)).toList());
    }

    private static LockKey mapped(LockKey key, UnaryOperator<String> change) {
        LockKey changed = LockKey.of(change.apply(key.value()));
        return key.isMasked() ? changed.masked() : changed;
    }

    private LockRequest withKeys(List<LockKey> others) {
        return new LockRequest(
                others,
                name,
                mode,
                limit,
                fair,
                lease,
                waitFor,
                renew,
                minHold,
                maxHold,
                outageTolerance,
                interruptOnLoss);
    }

    /** {@return a copy that shares the lock with any number of other shared holders: a read lock} */
    public LockRequest shared() {
        return shared(UNLIMITED);
    }

    /**
     * {@return a copy that shares the lock with other shared holders: one permit of a semaphore}
     *
     * @param atMost how many may hold the lock together; 1 or more
     * @throws IllegalArgumentException if it is less
     */
    public LockRequest shared(int atMost) {
        return new LockRequest(
                keys,
                name,
                LockMode.SHARED,
                atMost,
                fair,
                lease,
                waitFor,
                renew,
                minHold,
                maxHold,
                outageTolerance,
                interruptOnLoss);
    }

    /** {@return a copy that holds the lock alone} */
    public LockRequest exclusive() {
        return new LockRequest(
                keys,
                name,
                LockMode.EXCLUSIVE,
                1,
                fair,
                lease,
                waitFor,
                renew,
                minHold,
                maxHold,
                outageTolerance,
                interruptOnLoss);
    }

    /**
     * {@return a copy that is served strictly in order of arrival, or not}
     *
     * @param value true for first come, first served over all clients
     */
    public LockRequest fair(boolean value) {
        return new LockRequest(
                keys,
                name,
                mode,
                limit,
                value,
                lease,
                waitFor,
                renew,
                minHold,
                maxHold,
                outageTolerance,
                interruptOnLoss);
    }

    /**
     * {@return a copy with that lease}
     *
     * @param value how long the lock survives without renewal; 100 ms to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest lease(Duration value) {
        return new LockRequest(
                keys,
                name,
                mode,
                limit,
                fair,
                Optional.of(value),
                waitFor,
                renew,
                minHold,
                maxHold,
                outageTolerance,
                interruptOnLoss);
    }

    /**
     * {@return a copy that waits so long}
     *
     * @param value how long to wait; 0, which is one try, to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest waitFor(Duration value) {
        return new LockRequest(
                keys,
                name,
                mode,
                limit,
                fair,
                lease,
                Optional.of(value),
                renew,
                minHold,
                maxHold,
                outageTolerance,
                interruptOnLoss);
    }

    /** {@return a copy that waits without a limit: for 365 days, {@link #MAX_TIME}} */
    public LockRequest waitWithoutLimit() {
        return waitFor(MAX_TIME);
    }

    /**
     * {@return a copy that is renewed, or not}
     *
     * @param value false makes the lease a fixed time limit
     */
    public LockRequest renew(boolean value) {
        return new LockRequest(
                keys,
                name,
                mode,
                limit,
                fair,
                lease,
                waitFor,
                Optional.of(value),
                minHold,
                maxHold,
                outageTolerance,
                interruptOnLoss);
    }

    /**
     * Keeps others out for at least this time, also when the work was shorter: a job that several nodes start at about
     * the same time runs once. Such a request does not reenter a lock that its thread already holds.
     *
     * @param value counted from the grant; 0 to 365 days
     * @return a copy with that minimum
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest minHold(Duration value) {
        return new LockRequest(
                keys,
                name,
                mode,
                limit,
                fair,
                lease,
                waitFor,
                renew,
                Optional.of(value),
                maxHold,
                outageTolerance,
                interruptOnLoss);
    }

    /**
     * {@return a copy whose renewal ends then}
     *
     * @param value counted from the grant; 100 ms to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest maxHold(Duration value) {
        return new LockRequest(
                keys,
                name,
                mode,
                limit,
                fair,
                lease,
                waitFor,
                renew,
                minHold,
                Optional.of(value),
                outageTolerance,
                interruptOnLoss);
    }

    /**
     * Has a loss of the lock stop the work, instead of being found when it has ended: the thread that holds the lock is
     * interrupted, which is the one that acquired it, until its handle is closed or {@linkplain LockHandle#detach detached}; the
     * stage of {@code executeAsync} is cancelled. The outcome is {@link LockLostException}, with what the work made of the
     * interrupt suppressed inside.
     *
     * <p>No thread is interrupted after its hold has ended, and an interrupt of that kind does not outlast it: where it is
     * still pending when the handle is closed, the flag is cleared. So is that of somebody else who has interrupted the thread
     * since the loss; its work was to be stopped in any case.
     *
     * @param value true to have the work interrupted
     * @return a copy that says so
     */
    public LockRequest interruptOnLoss(boolean value) {
        return new LockRequest(
                keys, name, mode, limit, fair, lease, waitFor, renew, minHold, maxHold, outageTolerance, value);
    }

    /**
     * How long a failure of Redis is waited for by a caller that was queued for the lock before it: a failover, for example.
     * It is a part of {@code waitFor}, not added to it. Afterwards the queue is formed anew. A first try that fails, fails at
     * once.
     *
     * @param value for each failure, counted from its first call that failed; 0, which is to fail at once, to 365 days
     * @return a copy with that tolerance
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest outageTolerance(Duration value) {
        return new LockRequest(
                keys,
                name,
                mode,
                limit,
                fair,
                lease,
                waitFor,
                renew,
                minHold,
                maxHold,
                Optional.of(value),
                interruptOnLoss);
    }

    /**
     * Checks one time setting.
     *
     * @param name the setting, for the message
     * @param value its value
     * @param min the least that is allowed
     * @return the value
     * @throws IllegalArgumentException if it is out of range
     */
    static Duration checkRange(String name, Duration value, Duration min) {
        if (value.compareTo(min) < 0 || value.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + value + "; allowed is " + min.toMillis() + " ms to " + MAX_TIME.toDays() + " days");
        }
        return value;
    }
}
