package io.holdfast.lock.engine;

import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.store.HolderInfo;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** A lease, and what the engine keeps beside it. */
final class Hold {

    private final Lease lease;
    private final HolderInfo holder;
    private final long minHoldNanos;
    private final boolean resent;

    /** What the {@code Lock} view has opened and not closed; touched by the acquiring thread only. */
    private final Deque<Handle> lockedByView = new ArrayDeque<>(1);

    Hold(Lease lease, HolderInfo holder, long minHoldNanos, boolean resent) {
        this.lease = lease;
        this.holder = holder;
        this.minHoldNanos = minHoldNanos;
        this.resent = resent;
    }

    Lease lease() {
        return lease;
    }

    HolderInfo holder() {
        return holder;
    }

    /** Whether a send of its acquisition was not answered, and may still arrive. */
    boolean isResent() {
        return resent;
    }

    Deque<Handle> lockedByView() {
        return lockedByView;
    }

    /** How long the lock is to be kept after release, so that it was held for its minimum time; rounded up to 1 ms. */
    Duration keep() {
        long left = minHoldNanos - lease.held().toNanos();
        return left <= 0 ? Duration.ZERO : Duration.ofMillis(left / 1_000_000 + 1);
    }
}
