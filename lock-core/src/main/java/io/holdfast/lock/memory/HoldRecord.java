package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A grant that is in force.
 *
 * @param owner null if the lock is kept for its minimum time, after release
 * @param tokens how many tokens it reserved, from {@code token} on
 * @param weight how much of the limit it takes, if it is shared
 */
record HoldRecord(
        @Nullable OwnerId owner,
        String clientId,
        HolderInfo info,
        Instant since,
        LockMode mode,
        long token,
        long tokens,
        int weight,
        long leaseEnd) {

    boolean isExclusive() {
        return mode == LockMode.EXCLUSIVE;
    }

    boolean isLive(long now) {
        return !Times.isOver(leaseEnd, now);
    }

    HoldRecord until(long end) {
        return new HoldRecord(owner, clientId, info, since, mode, token, tokens, weight, end);
    }

    HoldRecord withToken(long first) {
        return new HoldRecord(owner, clientId, info, since, mode, first, tokens, weight, leaseEnd);
    }

    HoldRecord keptUntil(long end) {
        return new HoldRecord(null, clientId, info, since, mode, token, tokens, weight, end);
    }

    HoldRecord shared() {
        return new HoldRecord(owner, clientId, info, since, LockMode.SHARED, token, tokens, weight, leaseEnd);
    }

    LockHolder describe(long now) {
        return new LockHolder(
                clientId,
                info.host(),
                info.pid(),
                info.thread(),
                since,
                Duration.ofNanos(Math.max(0, leaseEnd - now)),
                token,
                mode,
                owner == null);
    }
}
