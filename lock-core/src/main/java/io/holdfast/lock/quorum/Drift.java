package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockHolder;
import java.time.Duration;

/**
 * By how much longer than its caller a server counts a lease, since their clocks may not run at the same rate: a hundredth,
 * and 2 ms.
 */
final class Drift {

    private static final int SHARE = 100;
    private static final int MILLIS = 2;

    private Drift() {}

    static long added(long leaseMillis) {
        return leaseMillis + leaseMillis / SHARE + MILLIS;
    }

    /** What a server says, as its caller counts. */
    static LockHolder removed(LockHolder holder) {
        Duration remaining =
                holder.remaining().minusMillis(MILLIS).multipliedBy(SHARE).dividedBy(SHARE + 1L);
        return new LockHolder(
                holder.clientId(),
                holder.host(),
                holder.pid(),
                holder.thread(),
                holder.since(),
                remaining.isNegative() ? Duration.ZERO : remaining,
                holder.fencingToken(),
                holder.mode());
    }
}
