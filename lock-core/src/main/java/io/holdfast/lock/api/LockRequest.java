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
 * LockRequest.of("stock:7").lease(Duration.ofSeconds(10)).waitFor(Duration.ofSeconds(2)) LockRequest.of("catalogue").shared()
 * // read lock LockRequest.of("mail-gateway").shared(5)                              // one of five permits
 * LockRequest.of("import").shared(64).weight(16)                        // 16 of 64 permits at once
 * LockRequest.ofAll(List.of("account:1", "account:2"))                  // both or none
 * LockRequest.of("ledger").and(LockRequest.of("catalogue").shared())    // one exclusive, one shared, both or none }</pre>
 *
 * <p>Times range from 0 ({@code lease} and {@code maxHold}: from 100 ms) to 365 days, and are truncated to milliseconds.
 *
 * <p>All requests for a key should use the same limit and fairness, because each request is judged by its own.
 */
public final class LockRequest {

    /** The shortest lease. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);

    /** The longest time that any option accepts. */
    public static final Duration MAX_TIME = Duration.ofDays(365);

    /** No limit on shared holders, or on waiting calls. */
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
     * @throws LockKeyException if the key is invalid
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
     * A request for several locks, all or none: a multi-lock. They are acquired in the order of their keys, so requests with
     * overlapping keys never deadlock. If one is lost while waiting for the others, all are released, and the acquisition starts
     * over within the same {@code waitFor}.
     *
     * @param keys what to lock; their order does not matter
     * @return a request with the client's defaults
     * @throws LockKeyException if there are no keys, or one is invalid
     */
    public static LockRequest ofAll(Collection<String> keys) {
        return new LockRequest(
                keys.stream().map(key -> RequestPart.of(LockKey.of(key))).toList(), new RequestOptions());
    }

    /**
     * A request for the locks of this request and another one, all or none, each with its own mode, limit, weight and fairness:
     * for example, to read one resource and write another. All other options are those of this request. A key of both requests is
     * locked once, exclusively if either of them is exclusive.
     *
     * <pre>{@code
     * LockRequest.of("price-list").shared().and(LockRequest.of("order:42")).waitFor(Duration.ofSeconds(2))
     * }</pre>
     *
     * @param other the other request
     * @return a request for both
     * @throws LockKeyException if both have a key in common, with different limits
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

    /** {@return the distinct keys, at least one, in natural order, which is the order of acquisition} */
    public List<LockKey> keys() {
        return parts.size() == 1
                ? List.of(parts.get(0).key())
                : parts.stream().map(RequestPart::key).toList();
    }

    /** {@return the key; the first one if there are several} */
    public LockKey key() {
        return parts.get(0).key();
    }

    /** {@return the mode; that of the first key if there are several, see {@link #each()}} */
    public LockMode mode() {
        return parts.get(0).mode();
    }

    /**
     * {@return how many may hold the lock together: 1 if exclusive, 1 to {@link #UNLIMITED} if shared; for the first key if there
     * are several, see {@link #each()}}
     */
    public int limit() {
        return parts.get(0).limit();
    }

    /** {@return how much of the limit this request takes; for the first key if there are several, see {@link #each()}} */
    public int weight() {
        return parts.get(0).weight();
    }

    /**
     * {@return whether it is served strictly in order of arrival; for the first key if there are several, see {@link #each()}}
     */
    public boolean fair() {
        return parts.get(0).fair();
    }

    /** {@return the name of this use of locks; empty for none} */
    public String name() {
        return options.name;
    }

    /** {@return how long the lock survives without renewal; empty for the client's default} */
    public Optional<Duration> lease() {
        return options.lease;
    }

    /** {@return how long to wait, zero for a single try; empty for the default} */
    public Optional<Duration> waitFor() {
        return options.waitFor;
    }

    /** {@return whether the lease is renewed while the lock is held; empty for the client's default} */
    public Optional<Boolean> renew() {
        return options.renew;
    }

    /** {@return the minimum time after the grant for which others are kept out; empty for none} */
    public Optional<Duration> minHold() {
        return options.minHold;
    }

    /** {@return how long after the grant renewal ends; empty for the client's default} */
    public Optional<Duration> maxHold() {
        return options.maxHold;
    }

    /** {@return after which time the lock is logged as held for long, once; empty for the client's default} */
    public Optional<Duration> warnAfter() {
        return options.warnAfter;
    }

    /** {@return how long a queued caller waits for Redis to recover from a failure; empty for the client's default} */
    public Optional<Duration> outageTolerance() {
        return options.outageTolerance;
    }

    /** {@return what a release waits for; empty for the client's default} */
    public Optional<ReleaseMode> release() {
        return options.release;
    }

    /** {@return how many calls of the client may wait for the same key; {@link #UNLIMITED} for any number} */
    public int maxWaiting() {
        return options.maxWaiting;
    }

    /** {@return whether the loss of the lock stops the work} */
    public boolean interruptOnLoss() {
        return options.interruptOnLoss;
    }

    /**
     * Names this use of locks. Metrics are tagged with the name, so there should be few: {@code "order"}, not {@code "order:42"}.
     *
     * @param value the name; empty for none
     * @return a copy with that name
     */
    public LockRequest name(String value) {
        return with(changed -> changed.name = value);
    }

    /**
     * {@return a copy whose keys are shown as hashes in logs, exceptions, events and endpoints, see {@link LockKey#masked()}, for
     * keys that contain personal data}
     */
    public LockRequest maskKeys() {
        return withEach(part -> part.withKey(part.key().masked()));
    }

    /**
     * Maps the keys, for example to add the name of a tenant.
     *
     * @param change maps the text of a key to the text of the new key
     * @return a copy with those keys
     * @throws LockKeyException if a key is invalid
     */
    public LockRequest mapKeys(UnaryOperator<String> change) {
        return withEach(part -> part.withKey(mapped(part.key(), change)));
    }

    private static LockKey mapped(LockKey key, UnaryOperator<String> change) {
        LockKey changed = LockKey.of(change.apply(key.value()));
        return key.isMasked() ? changed.masked() : changed;
    }

    /**
     * Replaces the keys. All are locked like the first key of this request.
     *
     * @param values the new keys; their order does not matter
     * @return a copy with those keys
     * @throws LockKeyException if there are no keys
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
     * {@return a copy that shares the lock with a limited number of other shared holders: one permit of a semaphore}
     *
     * @param atMost how many may hold the lock together; 1 or more
     * @throws IllegalArgumentException if it is less
     */
    public LockRequest shared(int atMost) {
        return withEach(part -> new RequestPart(part.key(), LockMode.SHARED, atMost, 1, part.fair()));
    }

    /**
     * Acquires several permits of a semaphore at once, all or none. A request for many permits is not overtaken by requests for
     * few.
     *
     * <pre>{@code LockRequest.of("import").shared(64).weight(16)}</pre>
     *
     * @param value how much of the {@linkplain #limit() limit} to take; 1 to the limit
     * @return a copy with that weight
     * @throws IllegalArgumentException if it is out of range, or the request has no limit
     */
    public LockRequest weight(int value) {
        return withEach(part -> part.withWeight(value));
    }

    /** {@return a copy that holds the lock exclusively} */
    public LockRequest exclusive() {
        return withEach(part -> new RequestPart(part.key(), LockMode.EXCLUSIVE, 1, 1, part.fair()));
    }

    /**
     * {@return a copy that is served strictly in order of arrival, or not}
     *
     * @param value true for first come, first served across all clients
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
     * {@return a copy with that time to wait}
     *
     * @param value how long to wait; 0, for a single try, to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest waitFor(Duration value) {
        checkRange("waitFor", value, Duration.ZERO);
        return with(changed -> changed.waitFor = Optional.of(value));
    }

    /** {@return a copy that waits without limit, that is for 365 days, {@link #MAX_TIME}} */
    public LockRequest waitWithoutLimit() {
        return waitFor(MAX_TIME);
    }

    /**
     * {@return a copy whose lease is renewed, or not}
     *
     * @param value false makes the lease a fixed time limit
     */
    public LockRequest renew(boolean value) {
        return with(changed -> changed.renew = Optional.of(value));
    }

    /**
     * Keeps others out for at least this time, even if the work is shorter, so that a job that several nodes start at about the
     * same time runs once. Such a request cannot reenter a lock that its thread already holds.
     *
     * @param value the time from the grant; 0 to 365 days
     * @return a copy with that minimum
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest minHold(Duration value) {
        checkRange("minHold", value, Duration.ZERO);
        return with(changed -> changed.minHold = Optional.of(value));
    }

    /**
     * {@return a copy whose renewal ends after that time}
     *
     * @param value the time from the grant; 100 ms to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest maxHold(Duration value) {
        checkRange("maxHold", value, MIN_LEASE);
        return with(changed -> changed.maxHold = Optional.of(value));
    }

    /**
     * {@return a copy that is logged, once, if it is held for longer}
     *
     * @param value the time from the grant; 1 ms to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest warnAfter(Duration value) {
        checkRange("warnAfter", value, Duration.ofMillis(1));
        return with(changed -> changed.warnAfter = Optional.of(value));
    }

    /**
     * Stops the work when the lock is lost, instead of reporting the loss when the work ends: the thread that acquired the lock
     * is interrupted, unless the handle was closed or {@linkplain LockHandle#detach detached}; the stage of {@code executeAsync}
     * is cancelled. The result is a {@link LockLostException}, with the exception of the work suppressed in it.
     *
     * <p>A thread is never interrupted after its hold has ended, and the interrupt does not outlast the hold: if it is still
     * pending when the handle is closed, the flag is cleared. This also clears the interrupt of anybody else who has interrupted
     * the thread since the loss.
     *
     * @param value true to interrupt the work
     * @return a copy with that option
     */
    public LockRequest interruptOnLoss(boolean value) {
        return with(changed -> changed.interruptOnLoss = value);
    }

    /**
     * How long a caller that is already queued for the lock waits for Redis to recover from a failure, such as a failover. This
     * is part of {@code waitFor}, not added to it. After the failure a new queue is formed. A caller whose first attempt fails is
     * not queued, and fails immediately.
     *
     * @param value the time from the first failed call of each failure; 0, to fail immediately, to 365 days
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
     * Limits the number of calls of this client that wait for the same key: a call beyond the limit fails immediately with a
     * {@link LockOverloadException}. Calls that find the lock free, that already hold it, or that do not wait are never refused.
     *
     * @param value how many calls may wait for the key, including this one; 1 or more, {@link #UNLIMITED} for any number
     * @return a copy with that limit
     * @throws IllegalArgumentException if it is less than 1
     */
    public LockRequest maxWaiting(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("maxWaiting is " + value
                    + "; it must be 1 or more. Use waitFor(Duration.ZERO) for a try that never waits");
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

    /** The keys, and each option that is set. */
    @Override
    public String toString() {
        return "LockRequest" + parts + options.set();
    }

    /**
     * Checks one time setting.
     *
     * @param name the setting, for the message
     * @param value its value
     * @param min the minimum
     * @return the value
     * @throws IllegalArgumentException if it is out of range
     */
    static Duration checkRange(String name, Duration value, Duration min) {
        if (value.compareTo(min) < 0 || value.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be between " + min.toMillis()
                    + " ms and " + MAX_TIME.toDays() + " days");
        }
        return value;
    }
}
