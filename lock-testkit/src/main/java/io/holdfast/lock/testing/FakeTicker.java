package io.holdfast.lock.testing;

import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** Virtual time, which stands still until a test advances it. */
public final class FakeTicker implements Ticker, InstantSource {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** Close to the largest value, so that every test includes a wraparound of the monotonic clock. */
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 500_000_000L);

    private final AtomicLong passed = new AtomicLong();

    @Override
    public long nanos() {
        return nanos.get();
    }

    @Override
    public Instant instant() {
        return START.plusNanos(passed.get());
    }

    public void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        passed.addAndGet(time.toNanos());
    }
}
