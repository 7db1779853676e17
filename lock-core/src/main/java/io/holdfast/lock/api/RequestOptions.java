package io.holdfast.lock.api;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Options for all locks of a request, or of a client. Modified only before its owner is published. */
final class RequestOptions {

    static final Duration MIN_LEASE = Duration.ofMillis(100);
    static final Duration MAX_TIME = Duration.ofDays(365);
    private static final Duration MIN_WARNING = Duration.ofMillis(1);

    String name = "";
    Optional<Duration> lease = Optional.empty();
    Optional<Duration> waitFor = Optional.empty();
    Optional<Boolean> renew = Optional.empty();
    Optional<Duration> minHold = Optional.empty();
    Optional<Duration> maxHold = Optional.empty();
    Optional<Duration> warnAfter = Optional.empty();
    Optional<Duration> outageTolerance = Optional.empty();
    int maxWaiting = LockRequest.UNLIMITED;
    boolean interruptOnLoss;

    RequestOptions copy() {
        RequestOptions copy = new RequestOptions();
        copy.name = name;
        copy.lease = lease;
        copy.waitFor = waitFor;
        copy.renew = renew;
        copy.minHold = minHold;
        copy.maxHold = maxHold;
        copy.warnAfter = warnAfter;
        copy.outageTolerance = outageTolerance;
        copy.maxWaiting = maxWaiting;
        copy.interruptOnLoss = interruptOnLoss;
        return copy;
    }

    void lease(Duration value) {
        lease = inRange("lease", value, MIN_LEASE);
    }

    void waitFor(Duration value) {
        waitFor = inRange("waitFor", value, Duration.ZERO);
    }

    void minHold(Duration value) {
        minHold = inRange("minHold", value, Duration.ZERO);
    }

    void maxHold(Duration value) {
        maxHold = inRange("maxHold", value, MIN_LEASE);
    }

    void warnAfter(Duration value) {
        warnAfter = inRange("warnAfter", value, MIN_WARNING);
    }

    void outageTolerance(Duration value) {
        outageTolerance = inRange("outageTolerance", value, Duration.ZERO);
    }

    void maxWaiting(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("maxWaiting is " + value
                    + "; it must be 1 or more. Use waitFor(Duration.ZERO) to try once without waiting");
        }
        maxWaiting = value;
    }

    static Optional<Duration> inRange(String name, Duration value, Duration min) {
        if (value.compareTo(min) < 0 || value.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be between " + min.toMillis()
                    + " ms and " + MAX_TIME.toDays() + " days");
        }
        return Optional.of(value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RequestOptions options && set().equals(options.set());
    }

    @Override
    public int hashCode() {
        return set().hashCode();
    }

    /** Each option that is set, by its name. */
    @Override
    public String toString() {
        return set().toString();
    }

    private Map<String, Object> set() {
        Map<String, Object> set = new LinkedHashMap<>();
        if (!name.isEmpty()) {
            set.put("name", name);
        }
        lease.ifPresent(value -> set.put("lease", value));
        waitFor.ifPresent(value -> set.put("waitFor", value));
        renew.ifPresent(value -> set.put("renew", value));
        minHold.ifPresent(value -> set.put("minHold", value));
        maxHold.ifPresent(value -> set.put("maxHold", value));
        warnAfter.ifPresent(value -> set.put("warnAfter", value));
        outageTolerance.ifPresent(value -> set.put("outageTolerance", value));
        if (maxWaiting != LockRequest.UNLIMITED) {
            set.put("maxWaiting", maxWaiting);
        }
        if (interruptOnLoss) {
            set.put("interruptOnLoss", true);
        }
        return set;
    }
}
