package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Objects;

/**
 * Which locks {@link AllLocks#scan} lists, and how much load it may cause. Start with {@link #ALL}, and change individual
 * components.
 *
 * @param keysStartingWith the prefix of the keys, as callers write them; empty for all keys
 * @param limit the maximum number of locks to list, 1 to 100,000; if there are more, the result is incomplete
 * @param callsPerSecond the maximum number of calls per second to the store, 1 to 10,000; each reads up to 100 locks on one server
 * @param timeout the time after which the scan ends with the locks found so far, 1 ms to 365 days; a call that is in progress at
 *     that time may take up to one command timeout longer
 */
public record LockScanRequest(String keysStartingWith, int limit, int callsPerSecond, Duration timeout) {

    /** All locks; at most 10,000 of them, read by at most 100 calls per second, for at most 10 s. */
    public static final LockScanRequest ALL = new LockScanRequest("", 10_000, 100, Duration.ofSeconds(10));

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public LockScanRequest {
        Objects.requireNonNull(keysStartingWith, "keysStartingWith");
        checkRange("limit", limit, 100_000);
        checkRange("callsPerSecond", callsPerSecond, 10_000);
        LockRequest.inRange("timeout", timeout, Duration.ofMillis(1));
    }

    private static void checkRange(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new OutOfRangeException(name, value, "between 1 and " + most);
        }
    }

    /**
     * {@return a copy that lists only locks whose keys start with the given prefix}
     *
     * @param value see {@link #keysStartingWith}
     */
    public LockScanRequest withKeysStartingWith(String value) {
        return new LockScanRequest(value, limit, callsPerSecond, timeout);
    }

    /**
     * {@return a copy with the given limit}
     *
     * @param value see {@link #limit}
     * @throws IllegalArgumentException if it is out of range
     */
    public LockScanRequest withLimit(int value) {
        return new LockScanRequest(keysStartingWith, value, callsPerSecond, timeout);
    }

    /**
     * {@return a copy that reads at the given rate}
     *
     * @param value see {@link #callsPerSecond}
     * @throws IllegalArgumentException if it is out of range
     */
    public LockScanRequest withCallsPerSecond(int value) {
        return new LockScanRequest(keysStartingWith, limit, value, timeout);
    }

    /**
     * {@return a copy with the given timeout}
     *
     * @param value see {@link #timeout}
     * @throws IllegalArgumentException if it is out of range
     */
    public LockScanRequest withTimeout(Duration value) {
        return new LockScanRequest(keysStartingWith, limit, callsPerSecond, value);
    }
}
