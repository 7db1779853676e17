package io.holdfast.lock.quorum;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proposes fencing tokens on which all servers of a quorum can agree immediately. Each of them would choose the time of its own
 * clock, in microseconds. So the local clock extrapolates an earlier choice of theirs, and adds a small margin for network delay
 * and differences between clocks. A proposal that is too low costs one more round, and nothing else.
 *
 * <p>Tokens must stay near the servers' time (see also {@link Election} for what is given back), since only that time makes them grow when
 * servers lose their data. So this clock learns only from tokens that servers choose without a proposal, which it allows every ten seconds,
 * or after one second if a proposal was too low. With a proposal, their choice may be another client's proposal plus one: two clients that
 * learned from each other, and were granted locks in turn faster than the margin, would drive the tokens further ahead of the clock with
 * each grant. As it is, each of them does so by no more than the margin per second.
 *
 * <p><b>Clocks that differ</b> by more than the rejoin delay. A server that has lost its data takes tokens from its clock, after it has
 * granted nothing for the rejoin delay. So if another clock had put a token further ahead than that, a smaller one could follow after a
 * loss of data or when tokens are no longer remembered. Hence tokens follow the clocks of a majority where possible, tokens that are
 * further ahead are ignored, see {@link Election}, and this is logged, at most every ten minutes.
 *
 * <p>Thread-safe.
 */
final class TokenClock {

    private static final Logger log = LoggerFactory.getLogger(TokenClock.class);
    private static final long MARGIN_MICROS = 1_000;
    private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long TRUSTED_IF_LOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final long longestMicros;
    private final Ticker ticker;
    private final AtomicLong nextWarning;
    private long token;
    private long learntAt;

    /** @param rejoinDelay how much clocks may differ */
    TokenClock(Duration rejoinDelay, Ticker ticker) {
        this.longestMicros = TimeUnit.NANOSECONDS.toMicros(rejoinDelay.toNanos());
        this.ticker = ticker;
        this.nextWarning = new AtomicLong(ticker.nanos());
    }

    /** The lowest token that is worth proposing; 0 leaves the choice to the servers. */
    synchronized long proposal() {
        long age = ticker.nanos() - learntAt;
        return token == 0 || age > TRUSTED_NANOS ? 0 : token + TimeUnit.NANOSECONDS.toMicros(age) + MARGIN_MICROS;
    }

    /**
     * The outcome of a proposal.
     *
     * @param proposal the lowest token that was proposed; 0 if the choice was left to the servers
     * @param chosen the highest token that a server chose
     */
    synchronized void learn(long proposal, long chosen) {
        long now = ticker.nanos();
        if (proposal == 0) {
            token = chosen;
            learntAt = now;
        } else if (chosen > proposal && now - learntAt > TRUSTED_IF_LOW_NANOS) {
            token = 0;
        }
    }

    /** Whether the clocks that chose these tokens agree well enough. */
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
        return tokens.stream().filter(each -> fits(enough, each)).reduce(enough, Math::max);
    }

    /** @param tokens what each server chose, at least one */
    void report(Map<String, Long> tokens) {
        long low = Collections.min(tokens.values());
        long high = Collections.max(tokens.values());
        long now = ticker.nanos();
        long due = nextWarning.get();
        if (!fits(low, high) && now - due >= 0 && nextWarning.compareAndSet(due, now + SILENCE_NANOS)) {
            log.warn(
                    "The clocks of the lock servers differ by {}, more than the rejoin-delay of {}. Fencing tokens may"
                            + " decrease after a server loses its data. Synchronize the clocks. Times in microseconds: {}",
                    DurationText.of(Duration.of(high - low, ChronoUnit.MICROS)),
                    DurationText.of(Duration.of(longestMicros, ChronoUnit.MICROS)),
                    tokens);
        }
    }
}
