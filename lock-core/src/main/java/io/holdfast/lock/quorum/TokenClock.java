package io.holdfast.lock.quorum;

import io.holdfast.lock.store.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * Proposes fencing tokens on which all servers of a quorum can agree at once. Each of them would choose its own clock's
 * time, in microseconds. So what it chose last is carried on by the clock here, and a little is added for the way and for
 * what clocks differ. A proposal that is too low costs one more round, and nothing else.
 *
 * <p>Now and then it proposes nothing, and so learns the servers' time anew: a clock that runs faster than theirs would
 * carry the tokens away from the time, through which they grow when a server loses its data.
 */
final class TokenClock {

    private static final long MARGIN_MICROS = 1_000;
    private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(10);

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
     * @param proposal the least token that was proposed
     * @param chosen the highest token that a server chose
     */
    synchronized void learn(long proposal, long chosen) {
        if (chosen > proposal && chosen > token) {
            token = chosen;
            learntAt = ticker.nanos();
        }
    }
}
