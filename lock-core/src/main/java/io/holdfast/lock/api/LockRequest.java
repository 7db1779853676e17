package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What to lock, and how. Immutable; options that are not set use the client's defaults: with Spring Boot, the properties that are
 * named at each option; without it, {@code LockEngineBuilder.defaults}.
 *
 * <pre>{@code
 * LockRequest.of("stock:7").lease(Duration.ofSeconds(10)).waitFor(Duration.ofSeconds(2));
 * LockRequest.of("catalogue").shared();                                 // read lock
 * LockRequest.of("mail-gateway").shared(5);                             // one of five permits
 * LockRequest.of("import").shared(64).weight(16);                       // 16 of 64 permits at once
 * LockRequest.ofAll(List.of("account:1", "account:2"));                 // both or neither
 * LockRequest.of("ledger").and(LockRequest.of("catalogue").shared());   // one exclusive, one shared, both or neither
 * }</pre>
 *
 * <p>Times range from 0 ({@code lease} and {@code maxHold}: from 100 ms; {@code warnAfter} and {@code withData}: from 1 ms) to 365 days,
 * and are truncated to milliseconds.
 *
 * <p>All requests for a key should use the same limit and fairness, because each request is checked against its own.
 */
public final class LockRequest {

    /** The shortest lease. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);

    /** The longest time that any option accepts. */
    public static final Duration MAX_TIME = Duration.ofDays(365);

    /** No limit on shared holders, or on waiting calls. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** The maximum number of keys of a request. */
    public static final int MAX_KEYS = 1_000;

    private static final Duration MIN_TIME = Duration.ofMillis(1);

    private static final EnumMap<Option, Object> NONE = new EnumMap<>(Option.class);

    /** Sorted by their keys, with one for each key. */
    private final List<Part> parts;

    /** The options that are set. Read several times by each call, and copied by some. */
    private final EnumMap<Option, Object> options;

    /** In the order in which they are shown, under these names. */
    private enum Option {
        NAME("name"),
        LEASE("lease"),
        WAIT_FOR("waitFor"),
        RENEW("renew"),
        MIN_HOLD("minHold"),
        MAX_HOLD("maxHold"),
        WARN_AFTER("warnAfter"),
        OUTAGE_TOLERANCE("outageTolerance"),
        MAX_WAITING("maxWaiting"),
        DATA_KEEP("withData"),
        INTERRUPT_ON_LOSS("interruptOnLoss");

        private final String text;

        Option(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private LockRequest(List<Part> parts, EnumMap<Option, Object> options) {
        if (parts.isEmpty()) {
            throw new LockKeyException("The lock request has no key. Name at least one resource to lock.");
        }
        this.parts = parts.size() == 1 ? parts : Part.merged(parts);
        if (this.parts.size() > MAX_KEYS) {
            throw new LockKeyException("The lock request has " + this.parts.size() + " keys; at most " + MAX_KEYS
                    + " are allowed. Lock something that they have in common, such as their account.");
        }
        if (options.containsKey(Option.DATA_KEEP) && (this.parts.size() > 1 || mode() == LockMode.SHARED)) {
            throw new IllegalArgumentException(
                    "A request withData is for one exclusive lock, not for "
                            + (this.parts.size() > 1 ? this.parts.size() + " keys" : "a shared one")
                            + ", because only the holder of all of a lock may change its data. Request a lock that guards the data alone.");
        }
        this.options = options;
    }

    /** A null value removes the option. */
    private LockRequest with(Option option, @Nullable Object value) {
        if (Objects.equals(value, options.get(option))) {
            return this;
        }
        EnumMap<Option, Object> changed = options.clone();
        changed.compute(option, (same, former) -> value);
        return new LockRequest(parts, changed);
    }

    private LockRequest with(Option option, Duration value, Duration min) {
        return with(option, inRange(option.text, value, min));
    }

    static Duration inRange(String name, Duration value, Duration min) {
        if (value.compareTo(min) < 0 || value.compareTo(MAX_TIME) > 0) {
            throw new OutOfRangeException(
                    name, value, "between " + min.toMillis() + " ms and " + MAX_TIME.toDays() + " days");
        }
        return value;
    }

    private LockRequest withEach(UnaryOperator<Part> change) {
        return new LockRequest(parts(parts, change), options);
    }

    /** A single one is the common case, and every call of a locked method passes through here. */
    private static <T> List<Part> parts(Collection<T> sources, Function<T, Part> toPart) {
        return sources.size() == 1
                ? List.of(toPart.apply(sources.iterator().next()))
                : sources.stream().map(toPart).toList();
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
        return new LockRequest(List.of(Part.of(key)), NONE);
    }

    /**
     * A request for several locks, all or none: a multi-lock. They are acquired in the order of their keys, so requests with
     * overlapping keys never deadlock. If one of them is lost during the wait for the others, all are released, and the
     * acquisition starts over within the same {@code waitFor}.
     *
     * @param keys what to lock; their order does not matter
     * @return a request with the client's defaults
     * @throws LockKeyException if there are no keys, or more than {@value #MAX_KEYS} different ones, or one is invalid
     */
    public static LockRequest ofAll(Collection<String> keys) {
        return new LockRequest(parts(keys, key -> Part.of(LockKey.of(key))), NONE);
    }

    /**
     * A request for the locks of this request and another one, all or none, each with its own mode, limit, weight and fairness:
     * for example, to read one resource and write another. All other options are those of this request. A key that is in both
     * requests is locked once, exclusively if either request is exclusive.
     *
     * <pre>{@code
     * LockRequest.of("price-list").shared().and(LockRequest.of("order:42")).waitFor(Duration.ofSeconds(2))
     * }</pre>
     *
     * @param other the other request
     * @return a request for both
     * @throws LockKeyException if the requests have a key in common, with different limits, or more than {@value #MAX_KEYS} keys
     *     together
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

    /**
     * Names the purpose of this lock. Metrics are tagged with the name, so use only a few distinct names: {@code "order"}, not
     * {@code "order:42"}. Characters that could forge a log line are escaped, as in {@link LockKey#printable}.
     *
     * @param value the name; empty for none
     * @return a copy with the given name
     */
    public LockRequest name(String value) {
        return with(Option.NAME, value.isEmpty() ? null : LockKey.printable(value));
    }

    /**
     * Hides keys that contain personal data: logs, exceptions, events and endpoints show them as hashes; see {@link
     * LockKey#masked()}. With {@code holdfast.mask-keys=true} (default false), all keys are masked.
     *
     * @return a copy with masked keys
     */
    public LockRequest maskKeys() {
        return withEach(part -> part.withKey(part.key.masked()));
    }

    /**
     * Maps the keys, for example to add the name of a tenant.
     *
     * @param change maps the text of a key to the text of the new key
     * @return a copy with the new keys
     * @throws LockKeyException if a key is invalid
     */
    public LockRequest mapKeys(UnaryOperator<String> change) {
        return withEach(part -> part.mapKey(change));
    }

    /**
     * Replaces the keys. All are locked like the first key of this request.
     *
     * @param values the new keys; their order does not matter
     * @return a copy with the new keys
     * @throws LockKeyException if there are no keys, or more than {@value #MAX_KEYS} different ones
     */
    public LockRequest keys(Collection<LockKey> values) {
        return new LockRequest(parts(values, parts.get(0)::withKey), options);
    }

    /** {@return a copy that shares the lock with any number of other shared holders: a read lock} */
    public LockRequest shared() {
        return shared(UNLIMITED);
    }

    /**
     * {@return a copy that shares the lock with a limited number of other shared holders: one permit of a semaphore}
     *
     * @param atMost how many callers may hold the lock at the same time; 1 or more
     * @throws IllegalArgumentException if it is less than 1
     */
    public LockRequest shared(int atMost) {
        return withEach(part -> new Part(part.key(), LockMode.SHARED, atMost, 1, part.fair()));
    }

    /**
     * Acquires several permits of a semaphore at once, all or none. A request for many permits is not overtaken by requests
     * for fewer permits.
     *
     * <pre>{@code LockRequest.of("import").shared(64).weight(16)}</pre>
     *
     * @param value how much of the {@linkplain #limit() limit} to take; 1 to the limit
     * @return a copy with the given weight
     * @throws IllegalArgumentException if it is out of range, or the request has no limit
     */
    public LockRequest weight(int value) {
        return withEach(part -> new Part(part.key, part.mode, part.limit, value, part.fair));
    }

    /** {@return a copy that holds the lock exclusively} */
    public LockRequest exclusive() {
        return withEach(part -> new Part(part.key(), LockMode.EXCLUSIVE, 1, 1, part.fair()));
    }

    /**
     * {@return a copy with fairness on or off; a fair lock is granted strictly in order of arrival}
     *
     * @param value true for first come, first served across all clients. Default false
     */
    public LockRequest fair(boolean value) {
        return withEach(part -> part.withFair(value));
    }

    /**
     * {@return a copy with the given lease}
     *
     * @param value how long the lock survives without renewal; 100 ms to 365 days. Default: {@code holdfast.lease}, 30 s
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest lease(Duration value) {
        return with(Option.LEASE, value, MIN_LEASE);
    }

    /**
     * {@return a copy that waits for the given time}
     *
     * @param value how long to wait; 0 (a single try) to 365 days. Default: {@code holdfast.wait-for}, 5 s; for {@code tryExecute} and
     *     {@code tryAcquire}, 0
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest waitFor(Duration value) {
        return with(Option.WAIT_FOR, value, Duration.ZERO);
    }

    /** {@return a copy that waits forever, that is, for {@link #MAX_TIME}, 365 days} */
    public LockRequest waitForever() {
        return waitFor(MAX_TIME);
    }

    /**
     * {@return a copy with renewal of its lease on or off}
     *
     * @param value false makes the lease a fixed time limit. Default true
     */
    public LockRequest renew(boolean value) {
        return with(Option.RENEW, value);
    }

    /**
     * Keeps others out for at least this time, even if the work is shorter, so that a job that several instances start at about the same time
     * runs only once. A lock that is given back before the work has begun, for example because another lock of the request was not
     * acquired, is not kept. Such a request cannot reenter a lock that its thread already holds.
     *
     * @param value the time from the grant; 0 to 365 days. Default 0
     * @return a copy with the given minimum
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest minHold(Duration value) {
        return with(Option.MIN_HOLD, value, Duration.ZERO);
    }

    /**
     * {@return a copy whose renewal ends after the given time}
     *
     * @param value the time from the grant; 100 ms to 365 days. Default: {@code holdfast.max-hold}, no limit
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest maxHold(Duration value) {
        return with(Option.MAX_HOLD, value, MIN_LEASE);
    }

    /**
     * {@return a copy that logs a warning, once, if the lock is held for longer than the given time}
     *
     * @param value the time from the grant; 1 ms to 365 days. Default: {@code holdfast.warn-after}, 60 s
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest warnAfter(Duration value) {
        return with(Option.WARN_AFTER, value, MIN_TIME);
    }

    /**
     * Stops the work when the lock is lost, instead of reporting the loss when the work ends: the thread that acquired the lock
     * is interrupted, unless the handle was closed or {@linkplain LockHandle#detach detached}; the stage of {@code executeAsync}
     * is cancelled. The result is a {@link LockLostException}, to which any exception thrown by the work is added as a
     * suppressed exception.
     *
     * <p>A thread is never interrupted after its hold has ended, and the interrupt does not outlast the hold: if it is still
     * pending when the handle is closed, the flag is cleared. This also clears an interrupt from any other source since the
     * loss.
     *
     * @param value true to interrupt the work. Default false
     * @return a copy with the given option
     */
    public LockRequest interruptOnLoss(boolean value) {
        return with(Option.INTERRUPT_ON_LOSS, value ? true : null);
    }

    /**
     * How long a caller that is already queued for the lock waits for Redis to recover from a failure, such as a failover. This
     * is part of {@code waitFor}, not added to it. After the failure a new queue is formed. A caller whose first attempt fails
     * has not been queued, and fails immediately.
     *
     * @param value the time from the first failed call of an outage; 0 (fail immediately) to 365 days. Default: {@code
     *     holdfast.outage-tolerance}, 30 s
     * @return a copy with the given tolerance
     * @throws IllegalArgumentException if it is out of range
     */
    public LockRequest outageTolerance(Duration value) {
        return with(Option.OUTAGE_TOLERANCE, value, Duration.ZERO);
    }

    /**
     * Limits the number of calls from this client that may wait for the same key: a call beyond the limit fails immediately with a
     * {@link LockOverloadException}. Calls that find the lock free, that already hold it, or that do not wait are never
     * rejected.
     *
     * @param value how many calls may wait for the key, including this one; 1 or more, {@link #UNLIMITED} (default) for any number
     * @return a copy with the given limit
     * @throws IllegalArgumentException if it is less than 1
     */
    public LockRequest maxWaiting(int value) {
        if (value < 1) {
            throw new OutOfRangeException(
                    "maxWaiting", value, "1 or more. Use waitFor(Duration.ZERO) to try once without waiting");
        }
        return with(Option.MAX_WAITING, value == UNLIMITED ? null : value);
    }

    /**
     * Lets the holder read what the previous holder has left with the lock, and leave something for the next one: {@link
     * LockHandle#data} and {@link LockHandle#saveData}. For example a cursor, or the time of the last run. The request has one key, and is
     * exclusive. Acquiring the lock costs nothing more; each read and each write is a call to the store.
     *
     * <p>The data belongs to the lock: all its holders read and write the same, and a reentrant request with this option reads what an
     * outer one has saved. It outlives holds, and forced releases. A quorum keeps no data: there, calls with
     * such a request throw {@link IllegalArgumentException}. So do {@link #and} and {@link #shared} after this.
     *
     * @param keep how long the data lives after this request has last saved it; 1 ms to 365 days
     * @return a copy with data
     * @throws IllegalArgumentException if it is out of range, or the request is shared or has several keys
     */
    public LockRequest withData(Duration keep) {
        return with(Option.DATA_KEEP, keep, MIN_TIME);
    }

    /** {@return the distinct keys, at least one, in natural order, which is the order of acquisition} */
    public List<LockKey> keys() {
        return parts.size() == 1
                ? List.of(parts.get(0).key)
                : parts.stream().map(Part::key).toList();
    }

    /** {@return the key; the first one if there are several} */
    public LockKey key() {
        return parts.get(0).key;
    }

    /** {@return the mode; that of the first key if there are several (see {@link #each()})} */
    public LockMode mode() {
        return parts.get(0).mode;
    }

    /**
     * {@return how many callers may hold the lock at the same time: 1 if exclusive, 1 to {@link #UNLIMITED} if
     * shared; for the first key if there are several (see {@link #each()})}
     */
    public int limit() {
        return parts.get(0).limit;
    }

    /**
     * {@return how much of the limit this request takes; for the first key if there are several (see {@link
     * #each()})}
     */
    public int weight() {
        return parts.get(0).weight;
    }

    /**
     * {@return whether requests are served strictly in order of arrival; for the first key if there are several (see {@link
     * #each()})}
     */
    public boolean fair() {
        return parts.get(0).fair;
    }

    /** {@return the name; empty if there is none} */
    public String name() {
        return this.<String>option(Option.NAME).orElse("");
    }

    /** {@return how long the lock survives without renewal; empty for the client's default} */
    public Optional<Duration> lease() {
        return option(Option.LEASE);
    }

    /** {@return how long to wait; zero for a single try; empty for the default} */
    public Optional<Duration> waitFor() {
        return option(Option.WAIT_FOR);
    }

    /** {@return whether the lease is renewed while the lock is held; empty for the client's default} */
    public Optional<Boolean> renew() {
        return option(Option.RENEW);
    }

    /** {@return the minimum time from the grant during which others are kept out; empty if there is none} */
    public Optional<Duration> minHold() {
        return option(Option.MIN_HOLD);
    }

    /** {@return the time after which renewal ends, counted from the grant; empty for the client's default} */
    public Optional<Duration> maxHold() {
        return option(Option.MAX_HOLD);
    }

    /** {@return how long the lock may be held before a warning is logged, once; empty for the client's default} */
    public Optional<Duration> warnAfter() {
        return option(Option.WARN_AFTER);
    }

    /** {@return how long a queued caller waits for Redis to recover from a failure; empty for the client's default} */
    public Optional<Duration> outageTolerance() {
        return option(Option.OUTAGE_TOLERANCE);
    }

    /** {@return how many calls from the client may wait for the same key; {@link #UNLIMITED} for any number} */
    public int maxWaiting() {
        return this.<Integer>option(Option.MAX_WAITING).orElse(UNLIMITED);
    }

    /** {@return how long the data of the lock lives after it was last saved; empty if the request does not use it} */
    public Optional<Duration> dataKeep() {
        return option(Option.DATA_KEEP);
    }

    /** {@return whether the work is stopped when the lock is lost} */
    public boolean interruptOnLoss() {
        return options.containsKey(Option.INTERRUPT_ON_LOSS);
    }

    @SuppressWarnings("unchecked") // each option has one type
    private <T> Optional<T> option(Option option) {
        return Optional.ofNullable((T) options.get(option));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockRequest request && parts.equals(request.parts) && options.equals(request.options);
    }

    @Override
    public int hashCode() {
        return 31 * parts.hashCode() + options.hashCode();
    }

    /** The keys, and each option that is set. */
    @Override
    public String toString() {
        return "LockRequest" + parts + options;
    }

    /**
     * One of the locks of a request.
     *
     * @param key what is locked
     * @param mode exclusive or shared
     * @param limit how many callers may hold the lock at the same time: 1 if exclusive; 1 to {@link #UNLIMITED} if
     *     shared
     * @param weight how much of the limit this request takes
     * @param fair whether the lock is granted strictly in the order in which requests arrived at the store
     */
    private record Part(LockKey key, LockMode mode, int limit, int weight, boolean fair) {

        Part {
            if (limit < 1) {
                throw new OutOfRangeException("limit", limit, "1 or more");
            }
            if (weight < 1 || weight > limit) {
                throw new OutOfRangeException(
                        "weight", weight, "between 1 and the limit, which is " + limit + " for mode " + mode);
            }
            if (weight > 1 && limit == UNLIMITED) {
                throw new IllegalArgumentException(
                        "weight is " + weight + ", but there is no limit: call shared(limit) first");
            }
        }

        /** One for each key, in the order of the keys. */
        static List<Part> merged(List<Part> parts) {
            Map<String, Part> byKey = new TreeMap<>();
            parts.forEach(part -> byKey.merge(part.key.value(), part, Part::and));
            return List.copyOf(byKey.values());
        }

        static Part of(LockKey key) {
            return new Part(key, LockMode.EXCLUSIVE, 1, 1, false);
        }

        Part withKey(LockKey other) {
            return new Part(other, mode, limit, weight, fair);
        }

        Part mapKey(UnaryOperator<String> change) {
            LockKey changed = LockKey.of(change.apply(key.value()));
            return withKey(key.isMasked() ? changed.masked() : changed);
        }

        Part withFair(boolean value) {
            return new Part(key, mode, limit, weight, value);
        }

        /** Merges two requests for one key: an exclusive lock includes a shared one. */
        Part and(Part other) {
            if (mode != other.mode) {
                return (mode == LockMode.EXCLUSIVE ? this : other).withFair(fair || other.fair);
            }
            if (limit != other.limit) {
                throw new LockKeyException(
                        "Lock '" + key + "' is requested twice in one request with different limits: " + limit + " and "
                                + other.limit + ". Use the same limit for both.");
            }
            return new Part(key, mode, limit, Math.max(weight, other.weight), fair || other.fair);
        }
    }
}
