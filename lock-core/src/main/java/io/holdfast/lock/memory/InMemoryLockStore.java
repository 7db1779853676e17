package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.store.overview.RecordedWait;
import io.holdfast.lock.store.overview.StoreScan;
import io.holdfast.lock.store.overview.WaitReport;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Locks in this JVM's memory: the contract of {@link LockStore} without a server. For tests and for development on one
 * node; it excludes nobody outside of this JVM.
 *
 * <p>One mutex guards one map, which is as atomic as Redis' own thread. A lock that nobody holds is forgotten once its
 * token need not be remembered, like its counterpart in Redis whose key expires: the map is kept in the order of last
 * use, and each call drops forgotten locks from its old end. Hints are collected under the mutex, and delivered on the calling
 * thread after its release.
 */
public final class InMemoryLockStore implements LockStore {

    private static final Duration TOKEN_RETENTION = Duration.ofMinutes(10);

    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<LockKey, LockState> locks = new LinkedHashMap<>(16, 0.75f, true);
    private final Hints hints = new Hints();
    private final Listeners listeners = new Listeners();
    private final WaitBook waits = new WaitBook();
    private final Ticker ticker;
    private final StoreClock clock;

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
        this.clock = new StoreClock(ticker.nanos(), wallClock);
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        return locked(request.key(), state -> state.acquire(request, ticker.nanos()));
    }

    @Override
    public AcquireAllReply acquireAll(List<AcquireRequest> requests) {
        return locked(() -> {
            for (int i = 0; i < requests.size(); i++) {
                AcquireRequest request = requests.get(i);
                Optional<AcquireReply> refusal = on(request.key(), state -> state.refusal(request, ticker.nanos()));
                if (refusal.isPresent()) {
                    return new AcquireAllReply.Refused(i, refusal.get());
                }
            }
            return new AcquireAllReply.Granted(requests.stream()
                    .map(request -> on(request.key(), state -> state.acquire(request, ticker.nanos())))
                    .map(AcquireReply.Granted.class::cast)
                    .toList());
        });
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        return locked(request.key(), state -> state.release(request, ticker.nanos()));
    }

    @Override
    public ReleaseReply downgrade(LockKey key, OwnerId owner, long lastToken) {
        return locked(key, state -> state.downgrade(owner, lastToken, ticker.nanos()));
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
    public List<EntryReply> keepEntries(List<EntryRequest> requests) {
        List<EntryReply> replies = new ArrayList<>(requests.size());
        for (EntryRequest request : requests) {
            replies.add(locked(request.key(), state -> state.keepEntries(request.owners(), ticker.nanos())));
        }
        return replies;
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastToken) {
        locked(key, state -> {
            state.leave(owner, cancelledFor.toNanos(), lastToken, ticker.nanos());
            return state;
        });
    }

    @Override
    public LockSnapshot inspect(LockKey key) {
        return locked(key, state -> state.inspect(key, ticker.nanos()));
    }

    /** One step, at one moment. */
    @Override
    public Optional<StoreScan> openScan(String keyPrefix) {
        return Optional.of(new MemoryScan(() -> statuses(keyPrefix)));
    }

    private List<LockStatus> statuses(String keyPrefix) {
        mutex.lock();
        try {
            return locks.entrySet().stream()
                    .filter(lock -> lock.getKey().value().startsWith(keyPrefix))
                    .map(lock -> lock.getValue().status(lock.getKey(), ticker.nanos()))
                    .filter(status ->
                            !status.holders().isEmpty() || !status.queue().isEmpty())
                    .toList();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void recordWaits(String clientId, List<WaitReport> reports) {
        waits.record(clientId, reports, clock.micros(ticker.nanos()));
    }

    @Override
    public List<RecordedWait> recordedWaits() {
        return waits.all(clock.micros(ticker.nanos()));
    }

    @Override
    public List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        return locked(key, state -> state.forceRelease(modes, ticker.nanos()));
    }

    @Override
    public Listening listen(String clientId, WakeListener listener) {
        return listeners.add(clientId, listener);
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

    /** How many entries of a lock are remembered, dead ones in its queue included. */
    int queueLength(LockKey key) {
        return locked(key, LockState::queueLength);
    }

    /** Does nothing: there is nothing to free. */
    @Override
    public void close() {}

    private <T> T locked(LockKey key, Function<LockState, T> action) {
        return locked(() -> on(key, action));
    }

    private <T> T locked(Supplier<T> action) {
        List<Hints.Hint> due;
        T result;
        mutex.lock();
        try {
            result = action.get();
            forgetOld(ticker.nanos());
            due = hints.drain();
        } finally {
            mutex.unlock();
        }
        listeners.tell(due);
        return result;
    }

    private <T> T on(LockKey key, Function<LockState, T> action) {
        LockState state = locks.computeIfAbsent(key, unused -> new LockState(hints, clock));
        T result = action.apply(state);
        state.touch(ticker.nanos() + TOKEN_RETENTION.toNanos());
        return result;
    }

    private void forgetOld(long now) {
        var oldest = locks.values().iterator();
        while (oldest.hasNext() && oldest.next().isForgettable(now)) {
            oldest.remove();
        }
    }

    /** {@return where the locks are} */
    @Override
    public String toString() {
        return "the memory of this process";
    }
}
