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
 */
record Hold(
        @Nullable OwnerId owner,
        String clientId,
        HolderInfo info,
        Instant since,
        LockMode mode,
        long token,
        long tokens,
        long leaseEnd) {

    boolean isExclusive() {
        return mode == LockMode.EXCLUSIVE;
    }

    boolean isLive(long now) {
        return !Times.isOver(leaseEnd, now);
    }

    Hold until(long end) {
        return new Hold(owner, clientId, info, since, mode, token, tokens, end);
    }

    Hold withToken(long first) {
        return new Hold(owner, clientId, info, since, mode, first, tokens, leaseEnd);
    }

    Hold keptUntil(long end) {
        return new Hold(null, clientId, info, since, mode, token, tokens, end);
    }

    Hold shared() {
        return new Hold(owner, clientId, info, since, LockMode.SHARED, token, tokens, leaseEnd);
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
                mode);
    }
}
