package io.holdfast.lock.sample.race;

/** How long the lock was waited for. */
record Waits(long count, long totalNanos, long maxNanos) {

    static final Waits NONE = new Waits(0, 0, 0);

    static Waits of(long nanos) {
        return new Waits(1, nanos, nanos);
    }

    Waits and(Waits other) {
        return new Waits(count + other.count, totalNanos + other.totalNanos, Math.max(maxNanos, other.maxNanos));
    }

    double meanMillis() {
        return count == 0 ? 0 : millis(totalNanos / count);
    }

    double maxMillis() {
        return millis(maxNanos);
    }

    /** Two decimals: nobody wants more. */
    private static double millis(long nanos) {
        return Math.round(nanos / 10_000.0) / 100.0;
    }
}
