package io.holdfast.lock.quorum;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects servers whose clocks differ by more than the rejoin delay. A server that has lost its data takes tokens from its clock,
 * after it has granted nothing for the rejoin delay. So if another clock put a token further ahead than that, a smaller one could
 * follow, after a loss of data or when tokens are no longer remembered. Hence tokens follow the clocks of a majority where
 * possible, tokens that are further ahead are ignored, see {@link Election}, and this is logged, at most every ten minutes.
 */
final class ClockCheck {

    private static final Logger log = LoggerFactory.getLogger(ClockCheck.class);
    private static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final long longestMicros;
    private final Ticker ticker;
    private final AtomicReference<@Nullable Long> warnedAt = new AtomicReference<>();

    ClockCheck(Duration longest, Ticker ticker) {
        this.longestMicros = TimeUnit.NANOSECONDS.toMicros(longest.toNanos());
        this.ticker = ticker;
    }

    boolean fits(long low, long high) {
        return high - low <= longestMicros;
    }

    /**
     * The highest token that is not too far ahead of what enough servers chose.
     *
     * @param tokens what servers chose, ascending; at least as many as needed
     */
    long highest(List<Long> tokens, int needed) {
        long enough = tokens.get(needed - 1);
        return tokens.stream().filter(token -> fits(enough, token)).reduce(enough, Math::max);
    }

    /** @param tokens what each server chose */
    @SuppressWarnings("PrimitiveAtomicReference") // compared with the very object that was read
    void report(Map<String, Long> tokens) {
        long low = tokens.values().stream().mapToLong(Long::longValue).min().orElse(0);
        long high = tokens.values().stream().mapToLong(Long::longValue).max().orElse(0);
        Long last = warnedAt.get();
        long now = ticker.nanos();
        if (fits(low, high) || (last != null && now - last < SILENCE_NANOS) || !warnedAt.compareAndSet(last, now)) {
            return;
        }
        log.warn(
                "The clocks of the lock servers differ by {}, more than the rejoin-delay of {}."
                        + " Fencing tokens may decrease after a server loses its data. Synchronize the clocks. Times"
                        + " in microseconds: {}",
                DurationText.of(Duration.of(high - low, ChronoUnit.MICROS)),
                DurationText.of(Duration.of(longestMicros, ChronoUnit.MICROS)),
                tokens);
    }
}
