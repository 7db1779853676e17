package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which locks {@link LockOverview#scan} lists, and how much load it may cause. Immutable: start with {@link #ALL}. */
public final class LockScanRequest {

    /** All locks; at most 10,000 of them, read by at most 100 calls per second, for at most 10 s. */
    public static final LockScanRequest ALL = with("", 10_000, 100, Duration.ofSeconds(10));

    private static final int MOST_LOCKS = 100_000;
    private static final int MOST_CALLS_PER_SECOND = 10_000;

    private final Values values;

    private record Values(String keyPrefix, int limit, int callsPerSecond, Duration timeout) {}

    private LockScanRequest(Values values) {
        this.values = values;
    }

    private static LockScanRequest with(String keyPrefix, int limit, int callsPerSecond, Duration timeout) {
        return new LockScanRequest(new Values(keyPrefix, limit, callsPerSecond, timeout));
    }

    /** {@return the prefix of the keys; empty for all keys} */
    public String keyPrefix() {
        return values.keyPrefix();
    }

    /** {@return the maximum number of locks listed} */
    public int limit() {
        return values.limit();
    }

    /** {@return the maximum number of calls per second to the store; each reads up to 100 locks of one server} */
    public int callsPerSecond() {
        return values.callsPerSecond();
    }

    /** {@return the time after which the scan ends with the locks found so far} */
    public Duration timeout() {
        return values.timeout();
    }

    /**
     * {@return a copy that lists only locks whose keys start with the given prefix}
     *
     * @param value the prefix of the keys, as callers write them; empty for all keys
     */
    public LockScanRequest withKeyPrefix(String value) {
        Objects.requireNonNull(value, "keyPrefix");
        return with(value, limit(), callsPerSecond(), timeout());
    }

    /**
     * {@return a copy with the given limit}
     *
     * @param value the maximum number of locks to list, 1 to 100,000; if there are more, the result is incomplete
     * @throws IllegalArgumentException if it is out of range
     */
    public LockScanRequest withLimit(int value) {
        checkRange("limit", value, MOST_LOCKS);
        return with(keyPrefix(), value, callsPerSecond(), timeout());
    }

    /**
     * {@return a copy that reads at the given rate}
     *
     * @param value the maximum number of calls per second, 1 to 10,000
     * @throws IllegalArgumentException if it is out of range
     */
    public LockScanRequest withCallsPerSecond(int value) {
        checkRange("callsPerSecond", value, MOST_CALLS_PER_SECOND);
        return with(keyPrefix(), limit(), value, timeout());
    }

    /**
     * {@return a copy with the given timeout}
     *
     * @param value the time after which the scan ends with the locks found so far, 1 ms to 365 days; a call that is in
     *     progress at that time may take up to one command timeout longer
     * @throws IllegalArgumentException if it is out of range
     */
    public LockScanRequest withTimeout(Duration value) {
        LockRequest.inRange("timeout", value, Duration.ofMillis(1));
        return with(keyPrefix(), limit(), callsPerSecond(), value);
    }

    private static void checkRange(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be between 1 and " + most);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockScanRequest request && values.equals(request.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "LockScanRequest[keyPrefix=" + LockKey.printable(keyPrefix()) + ", limit=" + limit()
                + ", callsPerSecond=" + callsPerSecond() + ", timeout=" + timeout() + "]";
    }
}
