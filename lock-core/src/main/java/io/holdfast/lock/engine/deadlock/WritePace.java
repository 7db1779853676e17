package io.holdfast.lock.engine.deadlock;

import java.util.concurrent.TimeUnit;

/** Two calls a second, and up to four at once after a pause: a token bucket. Used by one thread. */
final class WritePace {

    private static final int MOST_AT_ONCE = 4;
    private static final long REFILL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** When the bucket was or will be empty, minus one refill for each token in it. */
    private long filledAt;

    WritePace(long now) {
        filledAt = now - MOST_AT_ONCE * REFILL_NANOS;
    }

    /** How long to wait before the next call; zero or negative if it may be made now. */
    long delay(long now) {
        return filledAt + REFILL_NANOS - now;
    }

    void called(long now) {
        long full = now - MOST_AT_ONCE * REFILL_NANOS;
        filledAt = (filledAt - full < 0 ? full : filledAt) + REFILL_NANOS;
    }
}
