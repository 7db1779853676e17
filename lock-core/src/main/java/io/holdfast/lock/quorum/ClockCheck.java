package io.holdfast.lock.quorum;

import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers whose clocks differ by more than they wait after a restart. Tokens grow by a server's clock when it has lost what
 * it knew, and then it grants nothing for the rejoin delay. So a token that another clock put further ahead than that could
 * be followed by a smaller one, after a loss of data or when tokens are no longer remembered. Hence tokens follow the clocks
 * of most servers where that is possible, and what is further ahead is passed over, see {@link Election}; and it is logged,
 * at most every ten minutes.
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
                "The clocks of the lock servers differ by {} s, more than the rejoin-delay of {} s."
                        + " Fencing tokens may decrease after a server loses its data. Synchronize the clocks. Times"
                        + " in microseconds: {}",
                TimeUnit.MICROSECONDS.toSeconds(high - low),
                TimeUnit.MICROSECONDS.toSeconds(longestMicros),
                tokens);
    }
}
