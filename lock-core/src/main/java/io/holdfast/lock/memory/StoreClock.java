package io.holdfast.lock.memory;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * The store's clock, as its callers see it, and the date for tokens.
 *
 * @param origin the ticker's time when the store was made
 * @param wallClock the date
 */
record StoreClock(long origin, InstantSource wallClock) {

    /** {@return microseconds since the store was made} */
    long micros(long now) {
        return TimeUnit.NANOSECONDS.toMicros(now - origin);
    }

    Instant date() {
        return wallClock.instant();
    }

    /** {@return the date in microseconds, which tokens are never behind} */
    long token() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, date());
    }
}
