package io.holdfast.lock.spring.test;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** The clock by which jobs name their fire time: that of the system, unless a test has set a time. */
final class JobsClock extends Clock {

    private volatile @Nullable Instant set;

    void set(@Nullable Instant time) {
        set = time;
    }

    @Override
    public Instant instant() {
        Instant time = set;
        return time == null ? Instant.now() : time;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("This clock yields instants only.");
    }
}
