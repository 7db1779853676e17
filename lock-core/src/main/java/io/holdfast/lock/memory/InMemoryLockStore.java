package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Locks in this JVM's memory: the contract of {@link LockStore} without a server. For tests and for development on one
 * node; it excludes nobody outside of this JVM.
 *
 * <p>One mutex guards one map, which is as atomic as Redis' own thread. A lock that nobody holds is forgotten once its
 * token need not be remembered, like its counterpart in Redis whose key expires: the map is kept in the order of last
 * use, and each call drops forgotten locks from its old end.
 */
public final class InMemoryLockStore implements LockStore {

    private static final Duration TOKEN_RETENTION = Duration.ofMinutes(10);

    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<LockKey, LockState> locks = new LinkedHashMap<>(16, 0.75f, true);
    private final Ticker ticker;
    private final InstantSource wallClock;

    /** A store on the system's clocks. */
    public InMemoryLockStore() {
        this(Ticker.SYSTEM, InstantSource.system());
    }

    /**
     * Creates an instance.
     *
     * @param ticker counts leases
     * @param wallClock dates grants and feeds fencing tokens
     */
    public InMemoryLockStore(Ticker ticker, InstantSource wallClock) {
        this.ticker = ticker;
        this.wallClock = wallClock;
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        return locked(request.key(), state -> state.acquire(request, ticker.nanos(), wallClock.instant()));
    }

    @Override
    public ReleaseReply release(LockKey key, OwnerId owner, Duration keep) {
        return locked(key, state -> state.release(owner, keep.toNanos(), ticker.nanos()));
    }

    @Override
    public List<RenewReply> renew(List<RenewRequest> requests) {
        List<RenewReply> replies = new ArrayList<>(requests.size());
        for (RenewRequest request : requests) {
            replies.add(locked(request.key(), state -> state.renew(request, ticker.nanos())));
        }
        return replies;
    }

    @Override
    public RenewReply extend(RenewRequest request) {
        return renew(List.of(request)).get(0);
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration bury) {
        locked(key, state -> state.leave(owner, bury.toNanos(), ticker.nanos()));
    }

    @Override
    public LockSnapshot inspect(LockKey key) {
        return locked(key, state -> state.inspect(key, ticker.nanos()));
    }

    @Override
    public Optional<LockHolder> forceRelease(LockKey key) {
        return locked(key, state -> state.forceRelease(ticker.nanos()));
    }

    /** How many locks are remembered. */
    int size() {
        mutex.lock();
        try {
            return locks.size();
        } finally {
            mutex.unlock();
        }
    }

    /** Does nothing: there is nothing to free. */
    @Override
    public void close() {}

    private <T> T locked(LockKey key, Function<LockState, T> action) {
        mutex.lock();
        try {
            long now = ticker.nanos();
            LockState state = locks.computeIfAbsent(key, unused -> new LockState());
            T result = action.apply(state);
            state.touch(now + TOKEN_RETENTION.toNanos());
            forgetOld(now);
            return result;
        } finally {
            mutex.unlock();
        }
    }

    private void forgetOld(long now) {
        var oldest = locks.values().iterator();
        while (oldest.hasNext() && oldest.next().isForgettable(now)) {
            oldest.remove();
        }
    }
}
