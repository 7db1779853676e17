package io.holdfast.lock.quorum;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Which holds need more servers than a majority, see {@link Quorum#needed}. A lost hold is not always given back, so holds that
 * are not renewed are forgotten some time after their lease, whenever twice as many are known as were left the last time.
 */
final class Permits {

    private static final int FEW = 100;

    private record Permit(int needed, long until) {}

    private final Map<OwnerId, Permit> permits = new ConcurrentHashMap<>();
    private final Ticker ticker;
    private volatile int many = FEW;

    Permits(Ticker ticker) {
        this.ticker = ticker;
    }

    void granted(OwnerId owner, int needed, long leaseMillis) {
        if (permits.size() >= many) {
            long now = ticker.nanos();
            permits.values().removeIf(permit -> permit.until - now < 0);
            many = Math.max(FEW, 2 * permits.size());
        }
        permits.put(owner, new Permit(needed, until(leaseMillis)));
    }

    /** A renewal never shortens a lease. */
    void renewed(OwnerId owner, long leaseMillis) {
        long until = until(leaseMillis);
        permits.computeIfPresent(
                owner, (same, permit) -> until - permit.until > 0 ? new Permit(permit.needed, until) : permit);
    }

    /** Kept for longer than the lease: a renewal may be late. */
    private long until(long leaseMillis) {
        return ticker.nanos() + 2 * TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    }

    int needed(OwnerId owner, int otherwise) {
        Permit permit = permits.get(owner);
        return permit == null ? otherwise : permit.needed;
    }

    void forget(OwnerId owner) {
        permits.remove(owner);
    }

    int size() {
        return permits.size();
    }
}
