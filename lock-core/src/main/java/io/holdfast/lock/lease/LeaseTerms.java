package io.holdfast.lock.lease;

/**
 * How one lease is to be treated. All times in nanoseconds.
 *
 * @param leaseNanos how long it survives without renewal
 * @param maxHoldNanos ends renewal this long after the grant; {@link #UNLIMITED} for none
 * @param warnAfterNanos a longer hold is reported once
 */
public record LeaseTerms(long leaseNanos, long maxHoldNanos, long warnAfterNanos) {

    /** No limit on the hold. */
    public static final long UNLIMITED = Long.MAX_VALUE;
}
