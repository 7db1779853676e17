package io.holdfast.lock.explore;

import io.holdfast.lock.store.Ticker;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that is set to the time of whatever state is looked at. */
final class ModelClock implements Ticker, InstantSource {

    /** Far from zero, so that steps back are possible, and zero means nothing. */
    private static final long START_NANOS = 1_000_000_000_000_000L;

    static final long START_MICROS = START_NANOS / 1_000;

    private long nanos;

    /** @param sinceStart in nanoseconds */
    void set(long sinceStart) {
        nanos = START_NANOS + sinceStart;
    }

    void setToZero() {
        nanos = 0;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    long micros() {
        return nanos / 1_000;
    }

    @Override
    public Instant instant() {
        return Instant.EPOCH.plusNanos(nanos);
    }
}
