package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What to lock, and how. Immutable; options that are not set use the client's {@link LockDefaults}.
 *
 * <pre>{@code
 * LockRequest.of("stock:7").lease(Duration.ofSeconds(10)).waitFor(Duration.ofSeconds(2))
 * LockRequest.of("catalogue").shared()                                  // read lock
 * LockRequest.of("mail-gateway").shared(5)                              // one of five permits
 * LockRequest.of("import").shared(64).weight(16)                        // 16 of 64 permits at once
 * LockRequest.ofAll(List.of("account:1", "account:2"))                  // both or none
 * LockRequest.of("ledger").and(LockRequest.of("catalogue").shared())    // one alone, the other shared, both or none
 * }</pre>
 *
 * <p>All times are from 0 ({@code lease} and {@code maxHold} from 100 ms) to 365 days; the store counts in milliseconds, so finer parts are cut.
 *
 * <p>All requests for one key should have the same limit and be either fair or not: each is judged by its own.
 */
public final class LockRequest {

    /** The shortest lease. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);

    /** The longest time that any setting takes. */
    public static final Duration MAX_TIME = Duration.ofDays(365);

    /** Any number: of shared holders, or of waiting calls. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final Comparator<RequestPart> ORDER =
            Comparator.comparing(part -> part.key().value());

    private final List<RequestPart> parts;
    private final RequestOptions options;

    /** Several parts: sorted by their keys, with one for each key. */
    private LockRequest(List<RequestPart> parts, RequestOptions options) {
        if (parts.isEmpty()) {
            throw new LockKeyException("The lock request has no key. Name at least one resource to lock.");
        }
        this.parts = parts.size() == 1 ? List.copyOf(parts) : merged(parts);
        this.options = options;
    }

    private static List<RequestPart> merged(List<RequestPart> parts) {
        Map<LockKey, RequestPart> byKey = new LinkedHashMap<>();
        parts.forEach(part -> byKey.merge(part.key(), part, RequestPart::and));
        return byKey.values().stream().sorted(ORDER).toList();
    }

    /** One is the common case, and every call of a locked method comes here. */
    private static <T> List<RequestPart> parts(Collection<T> sources, Function<T, RequestPart> toPart) {
        return sources.size() == 1
                ? List.of(toPart.apply(sources.iterator().next()))
                : sources.stream().map(toPart).toList();
    }

    private LockRequest with(Consumer<RequestOptions> change) {
        RequestOptions copy = options.copy();
        change.accept(copy);
        return new LockRequest(parts, copy);
    }

    private LockRequest withEach(UnaryOperator<RequestPart> change) {
        return new LockRequest(parts(parts, change), options);
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
        return new LockRequest(List.of(RequestPart.of(key)), new RequestOptions());
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
        return new LockRequest(
                keys.stream().map(key -> RequestPart.of(LockKey.of(key))).toList(), new RequestOptions());
    }

    /**
     * A request for the locks of this one and of another, all or nothing, each in the mode, with the limit, the weight and the
     * fairness that it has there: to read one thing and write another, for example. All other options are those of this
     * request. What both lock is locked once: alone, if one of them wants it alone.
     *
     * <pre>{@code
     * LockRequest.of("price-list").shared().and(LockRequest.of("order:42")).waitFor(Duration.ofSeconds(2))
     * }</pre>
     *
     * @param other names further locks
     * @return a request for both
     * @throws LockKeyException if both share a key, and with different limits
     */
    public LockRequest and(LockRequest other) {
        return new LockRequest(
                Stream.concat(parts.stream(), other.parts.stream()).toList(), options);
    }

    /** {@return a request for each key of this one, in the order of acquisition, with its own mode, limit, weight and fairness} */
    public List<LockRequest> each() {
        return parts.size() == 1
                ? List.of(this)
                : parts.stream()
                        .map(part -> new LockRequest(List.of(part), options))
                        .toList();
    }

    /** {@return what is locked: at least one key, each once, in their natural order, which is the order of acquisition} */
    public List<LockKey> keys() {
        return parts.size() == 1
                ? List.of(parts.get(0).key())
                : parts.stream().map(RequestPart::key).toList();
    }

    /** {@return what is locked; of several keys the first} */
    public LockKey key() {
        return parts.get(0).key();
    }

    /** {@return whether it is locked alone, or together with others; of several keys the first, see {@link #each()}} */
    public LockMode mode() {
        return parts.get(0).mode();
    }

    /**
     * {@return how many may hold the lock together: 1 if exclusive, 1 to {@link #UNLIMITED} if shared; of several keys the
     * first, see {@link #each()}}
     */
    public int limit() {
        return parts.get(0).limit();
    }

    /** {@return how many of the limit this request stands for; of several keys the first, see {@link #each()}} */
    public int weight() {
        return parts.get(0).weight();
    }

    /** {@return whether it is served strictly in order of arrival; of several keys the first, see {@link #each()}} */
    public boolean fair() {
        return parts.get(0).fair();
    }

    /** {@return what this use of locks is called; empty for none} */
    public String name() {
        return options.name;
    }

    /** {@return how long the lock survives without renewal; empty for the client's default} */
    public Optional<Duration> lease() {
        return options.lease;
    }

    /** {@return how long to wait for it, where zero is one try; empty for the default} */
    public Optional<Duration> waitFor() {
        return options.waitFor;
    }

    /** {@return whether the lease is renewed while the lock is held; empty for the client's default} */
    public Optional<Boolean> renew() {
        return options.renew;
    }

    /** {@return for how long after the grant others are kept out at least; empty for none} */
    public Optional<Duration> minHold() {
        return options.minHold;
    }

    /** {@return when renewal ends, counted from the grant; empty for the client's default} */
    public Optional<Duration> maxHold() {
        return options.maxHold;
    }

    /** {@return how long a failure of Redis is waited for by who has queued before; empty for the client's default} */
    public Optional<Duration> outageTolerance() {
        return options.outageTolerance;
    }

    /** {@return what releasing the lock waits for; empty for the client's default} */
    public Optional<ReleaseMode> release() {
        return options.release;
    }

    /** {@return how many calls of the client may wait for one key; {@link #UNLIMITED} for any number} */
    public int maxWaiting() {
        return options.maxWaiting;
    }

    /** {@return whether a loss of the lock stops the work} */
    public boolean interruptOnLoss() {
        return options.interruptOnLoss;
    }

    /**
     * Gives this use of locks a name. Locks are counted and timed by it, so there should be few of them: {@code "order"}, not
     * {@code "order:42"}.
     *
     * @param value the name; empty for none
     * @return a copy with that name
     */
    public LockRequest name(String value) {
        return with(changed -> changed.name = value);
    }

    /**
     * {@return a copy whose keys are shown as hashes by logs, exceptions, events and endpoints, see {@link LockKey#masked()}:
     * for keys that are personal data}
     */
    public LockRequest maskKeys() {
        return withEach(part -> part.withKey(part.key().masked()));
    }

    /**
     * A copy for other keys: with a tenant's name in front of each, for example.
     *
     * @param change makes the text of each new key from the text of a former one
     * @return a copy with those keys
     * @throws LockKeyException if a text cannot be a key
     */
    public LockRequest mapKeys(UnaryOperator<String> change) {
        return withEach(part -> part.withKey(mapped(part.key(), change)));
    }

    private static LockKey mapped(LockKey key, UnaryOperator<String> change) {
        LockKey changed = LockKey.of(change.apply(key.value()));
        return key.isMasked() ? changed.masked() : changed;
    }

    /**
     * A copy for other keys, which are locked as the first one of this request is.
     *
     * @param values what to lock instead; their order does not matter
     * @return a copy with those keys
     * @throws LockKeyException if there is none
     */
    public LockRequest keys(Collection<LockKey> values) {
        RequestPart first = parts.get(0);
        return new LockRequest(parts(values, first::withKey), options);
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
        return withEach(part -> new RequestPart(part.key(), LockMode.SHARED, atMost, 1, part.fair()));
    }

    /**
     * Takes several permits of a semaphore at once, all or none. Who waits for many is not passed by those who want few.
     *
     * <pre>{@code LockRequest.of("import").shared(64).weight(16)}</pre>
     *
     * @param value how many of the {@linkplain #limit() limit}; 1 to the limit
     * @return a copy of that weight
     * @throws IllegalArgumentException if it is out of range, or the request has no limit
     */
    public LockRequest weight(int value) {
        return withEach(part -> part.withWeight(value));
    }

    /** {@return a copy that holds the lock alone} */
    public LockRequest exclusive() {
        return withEach(part -> new RequestPart(part.key(), LockMode.EXCLUSIVE, 1, 1, part.fair()));
    }

    /**
     * {@return a copy that is served strictly in order of arrival, or not}
     *
     * @param value true for first come, first served over all clients
     */
    public LockRequest fair(boolean value) {
        return withEach(part -> part.withFair(value));
    }

    /**
     * {@return a copy with that lease}
     *
     * @param value how long the lock survives without renewal; 100 ms to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest lease(Duration value) {
        checkRange("lease", value, MIN_LEASE);
        return with(changed -> changed.lease = Optional.of(value));
    }

    /**
     * {@return a copy that waits so long}
     *
     * @param value how long to wait; 0, which is one try, to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest waitFor(Duration value) {
        checkRange("waitFor", value, Duration.ZERO);
        return with(changed -> changed.waitFor = Optional.of(value));
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
        return with(changed -> changed.renew = Optional.of(value));
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
        checkRange("minHold", value, Duration.ZERO);
        return with(changed -> changed.minHold = Optional.of(value));
    }

    /**
     * {@return a copy whose renewal ends then}
     *
     * @param value counted from the grant; 100 ms to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest maxHold(Duration value) {
        checkRange("maxHold", value, MIN_LEASE);
        return with(changed -> changed.maxHold = Optional.of(value));
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
        return with(changed -> changed.interruptOnLoss = value);
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
        checkRange("outageTolerance", value, Duration.ZERO);
        return with(changed -> changed.outageTolerance = Optional.of(value));
    }

    /**
     * {@return a copy whose release waits for that}
     *
     * @param value {@link ReleaseMode#SENT} to return before Redis has answered
     */
    public LockRequest release(ReleaseMode value) {
        Objects.requireNonNull(value, "release");
        return with(changed -> changed.release = Optional.of(value));
    }

    /**
     * Refuses to wait where so many calls of this client wait for the same key already: the call fails at once with a
     * {@link LockOverloadException}, instead of making the line longer. Calls that find the lock free, that have it already, or
     * that do not wait, are never refused.
     *
     * @param value how many may wait for one key, this call included; 1 or more, {@link #UNLIMITED} for any number
     * @return a copy that waits only in so short a line
     * @throws IllegalArgumentException if it is less than 1
     */
    public LockRequest maxWaiting(int value) {
        if (value < 1) {
            throw new IllegalArgumentException(
                    "maxWaiting is " + value + "; it must be 1 or more. Use waitFor(Duration.ZERO) for a try that never waits");
        }
        return with(changed -> changed.maxWaiting = value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockRequest request
                && parts.equals(request.parts)
                && options.set().equals(request.options.set());
    }

    @Override
    public int hashCode() {
        return 31 * parts.hashCode() + options.set().hashCode();
    }

    /** What is locked, and each option that was set. */
    @Override
    public String toString() {
        return "LockRequest" + parts + options.set();
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
