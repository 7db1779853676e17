package io.holdfast.lock.memory;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * The store's clock, as its callers see it, and the date for tokens.
 *
 * @param origin the ticker's time when the store was made
 * @param originMicros the date then, in microseconds
 * @param wallClock the date
 */
record StoreClock(long origin, long originMicros, InstantSource wallClock) {

    StoreClock(long origin, InstantSource wallClock) {
        this(origin, micros(wallClock.instant()), wallClock);
    }

    /** {@return the store's time, in microseconds} */
    long micros(long now) {
        return originMicros + TimeUnit.NANOSECONDS.toMicros(now - origin);
    }

    Instant date() {
        return wallClock.instant();
    }

    /** {@return the lower bound of tokens: the later of the store's time and the date, in microseconds} */
    long token(long now) {
        return Math.max(micros(now), micros(date()));
    }

    private static long micros(Instant date) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, date);
    }
}
