package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockHolder;
import java.time.Duration;

/**
 * By how much a server's lease is longer than its caller's, because their clocks may run at different rates: one percent, plus 2
 * ms.
 */
final class Drift {

    private static final int SHARE = 100;
    private static final int MILLIS = 2;

    private Drift() {}

    static long added(long leaseMillis) {
        return leaseMillis + leaseMillis / SHARE + MILLIS;
    }

    /** A time reported by a server, as its caller counts it. */
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
                holder.mode(),
                holder.kept());
    }
}
