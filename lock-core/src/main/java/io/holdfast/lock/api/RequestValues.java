package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The values of a {@link LockRequest}. */
abstract class RequestValues {

    /** Several parts: sorted by their keys, with one for each key. */
    final List<RequestPart> parts;

    final RequestOptions options;

    RequestValues(List<RequestPart> parts, RequestOptions options) {
        if (parts.isEmpty()) {
            throw new LockKeyException("The lock request has no key. Name at least one resource to lock.");
        }
        this.parts = parts.size() == 1 ? List.copyOf(parts) : RequestPart.merged(parts);
        this.options = options;
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

    /** {@return the mode; that of the first key if there are several (see {@link LockRequest#each()})} */
    public LockMode mode() {
        return parts.get(0).mode();
    }

    /**
     * {@return how many callers may hold the lock at the same time: 1 if exclusive, 1 to {@link LockRequest#UNLIMITED} if
     * shared; for the first key if there are several (see {@link LockRequest#each()})}
     */
    public int limit() {
        return parts.get(0).limit();
    }

    /**
     * {@return how much of the limit this request takes; for the first key if there are several (see {@link
     * LockRequest#each()})}
     */
    public int weight() {
        return parts.get(0).weight();
    }

    /**
     * {@return whether requests are served strictly in order of arrival; for the first key if there are several (see {@link
     * LockRequest#each()})}
     */
    public boolean fair() {
        return parts.get(0).fair();
    }

    /** {@return the name; empty if there is none} */
    public String name() {
        return options.name;
    }

    /** {@return how long the lock survives without renewal; empty for the client's default} */
    public Optional<Duration> lease() {
        return options.lease;
    }

    /** {@return how long to wait; zero for a single try; empty for the default} */
    public Optional<Duration> waitFor() {
        return options.waitFor;
    }

    /** {@return whether the lease is renewed while the lock is held; empty for the client's default} */
    public Optional<Boolean> renew() {
        return options.renew;
    }

    /** {@return the minimum time from the grant during which others are kept out; empty if there is none} */
    public Optional<Duration> minHold() {
        return options.minHold;
    }

    /** {@return the time after which renewal ends, counted from the grant; empty for the client's default} */
    public Optional<Duration> maxHold() {
        return options.maxHold;
    }

    /** {@return how long the lock may be held before a warning is logged, once; empty for the client's default} */
    public Optional<Duration> warnAfter() {
        return options.warnAfter;
    }

    /** {@return how long a queued caller waits for Redis to recover from a failure; empty for the client's default} */
    public Optional<Duration> outageTolerance() {
        return options.outageTolerance;
    }

    /** {@return how many calls from the client may wait for the same key; {@link LockRequest#UNLIMITED} for any number} */
    public int maxWaiting() {
        return options.maxWaiting;
    }

    /** {@return whether the work is stopped when the lock is lost} */
    public boolean interruptOnLoss() {
        return options.interruptOnLoss;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RequestValues request && parts.equals(request.parts) && options.equals(request.options);
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
}
