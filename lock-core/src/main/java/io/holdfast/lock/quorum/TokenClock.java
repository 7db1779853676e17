package io.holdfast.lock.quorum;

import io.holdfast.lock.store.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * Proposes fencing tokens on which all servers of a quorum can agree immediately. Each of them would choose the time of its own
 * clock, in microseconds. So the local clock extrapolates an earlier choice of theirs, and adds a small margin for network delay
 * and differences between clocks. A proposal that is too low costs one more round, and nothing else.
 *
 * <p>Tokens must stay near the servers' time (see also {@link Election} for what is given back), since that is what they grow by when servers lose their data. So it learns
 * only from what servers choose when nothing is proposed to them, which it does every ten seconds; or after one, if a
 * proposal was too low. What they choose otherwise may be another client's proposal plus one: two clients that learnt from
 * each other, with grants in turn faster than the little that is added, would drive the tokens ahead of the time for as
 * long as they go on. As it is, each of them does so by no more than that little in a second.
 */
final class TokenClock {

    private static final long MARGIN_MICROS = 1_000;
    private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long TRUSTED_IF_LOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Ticker ticker;
    private long token;
    private long learntAt;

    TokenClock(Ticker ticker) {
        this.ticker = ticker;
    }

    /** The least token that is worth proposing; 0 leaves it to the servers. */
    synchronized long proposal() {
        long age = ticker.nanos() - learntAt;
        if (token == 0 || age > TRUSTED_NANOS) {
            token = 0;
            return 0;
        }
        return token + TimeUnit.NANOSECONDS.toMicros(age) + MARGIN_MICROS;
    }

    /**
     * What came of a proposal.
     *
     * @param proposal the least token that was proposed; 0 if that was left to the servers
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
}
