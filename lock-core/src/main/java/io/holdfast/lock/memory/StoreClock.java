package io.holdfast.lock.memory;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * The store's clock, as its callers see it, and the wall-clock time for tokens.
 *
 * @param origin the ticker's time when the store was created
 * @param originMicros the wall-clock time then, in microseconds
 * @param wallClock the wall clock
 */
record StoreClock(long origin, long originMicros, InstantSource wallClock) {

    /** {@return the store's time, in microseconds} */
    long micros(long now) {
        return originMicros + TimeUnit.NANOSECONDS.toMicros(now - origin);
    }

    /** {@return the lower bound of tokens: the later of the store's time and the wall-clock time, in microseconds} */
    long token(long now) {
        return Math.max(micros(now), micros(wallClock.instant()));
    }

    static long micros(Instant date) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, date);
    }
}
