package io.holdfast.lock.engine.deadlock;

import java.util.concurrent.TimeUnit;

/** Two calls a second, and up to four at once after a pause: a token bucket. Used by one thread. */
final class WritePace {

    private static final int MOST_AT_ONCE = 4;
    private static final long REFILL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** When the bucket was, or will be, empty, less one refill for each token that is in it. */
    private long filledAt;

    WritePace(long now) {
        filledAt = now - MOST_AT_ONCE * REFILL_NANOS;
    }

    /** For how long to wait before the next call; not positive if it may be made. */
    long delay(long now) {
        return filledAt + REFILL_NANOS - now;
    }

    void called(long now) {
        long full = now - MOST_AT_ONCE * REFILL_NANOS;
        filledAt = (filledAt - full < 0 ? full : filledAt) + REFILL_NANOS;
    }
}
