package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.DataRequest;
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
import io.holdfast.lock.store.scan.RecordedWait;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.store.scan.WaitReport;
import io.holdfast.lock.store.scan.WaitTimes;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Locks in this JVM's memory: the contract of {@link LockStore} without a server. For tests and development with one instance; it excludes
 * nobody outside this JVM.
 *
 * <p>One mutex guards everything but the listeners, so each call is as atomic as a script in Redis. A lock that nobody holds is forgotten
 * once its token need no longer be remembered, as in Redis, where its key expires: the map is kept in the order of last use, and each call
 * drops such locks from the oldest end. Messages are collected under the mutex, and delivered on the calling thread after its release.
 */
public final class InMemoryLockStore implements LockStore {

    private static final Duration TOKEN_RETENTION = Duration.ofMinutes(10);
    private static final long WAITS_MICROS = TimeUnit.NANOSECONDS.toMicros(WAITS_TIMEOUT.toNanos());

    private final ReentrantLock mutex = new ReentrantLock();
    final Map<LockKey, LockState> locks = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<LockKey, Data> data = new HashMap<>();
    private final Map<String, ClientWaits> waits = new HashMap<>();
    private final List<LockState.Message> messages = new ArrayList<>();
    private final List<Consumer<LockState.Message>> listeners = new CopyOnWriteArrayList<>();
    private final Ticker ticker;
    private final StoreClock clock;

    @SuppressWarnings("ArrayRecordComponent") // neither compared nor changed
    private record Data(byte[] value, Instant savedAt, long end) {}

    private record ClientWaits(WaitTimes times, List<RecordedWait> waits, long micros) {}

    /** A store on the system's clocks. */
    public InMemoryLockStore() {
        this(Ticker.SYSTEM, InstantSource.system());
    }

    /**
     * Creates an instance.
     *
     * @param ticker measures leases
     * @param wallClock supplies the times of grants and the lower bound of fencing tokens
     */
    public InMemoryLockStore(Ticker ticker, InstantSource wallClock) {
        this.ticker = ticker;
        this.clock = new StoreClock(ticker.nanos(), StoreClock.micros(wallClock.instant()), wallClock);
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        return locked(request.key(), lock -> lock.acquire(request));
    }

    @Override
    public AcquireAllReply acquireAll(List<AcquireRequest> requests) {
        return locked(() -> {
            for (int i = 0; i < requests.size(); i++) {
                AcquireRequest request = requests.get(i);
                Optional<AcquireReply> refusal = on(request.key(), lock -> lock.refusal(request));
                if (refusal.isPresent()) {
                    return new AcquireAllReply.Refused(i, refusal.get());
                }
            }
            return new AcquireAllReply.Granted(requests.stream()
                    .map(request -> on(request.key(), lock -> lock.acquire(request)))
                    .map(AcquireReply.Granted.class::cast)
                    .toList());
        });
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        return locked(request.key(), lock -> lock.release(request));
    }

    @Override
    public ReleaseReply downgrade(LockKey key, OwnerId owner, long lastFencingToken) {
        return locked(key, lock -> lock.downgrade(owner, lastFencingToken));
    }

    @Override
    public List<RenewReply> renew(List<RenewRequest> requests) {
        return requests.stream().map(this::extend).toList();
    }

    @Override
    public RenewReply extend(RenewRequest request) {
        return locked(request.key(), lock -> lock.renew(request));
    }

    @Override
    public List<EntryReply> keepEntries(List<EntryRequest> requests) {
        return requests.stream()
                .map(request -> locked(request.key(), lock -> lock.keepEntries(request)))
                .toList();
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
        locked(key, lock -> lock.leave(owner, cancelledFor, lastFencingToken));
    }

    @Override
    public LockStatus inspect(LockKey key) {
        return locked(key, lock -> lock.status(key));
    }

    @Override
    public boolean keepsData() {
        return true;
    }

    @Override
    public Optional<LockData> data(DataRequest request) {
        return locked(request.key(), lock -> {
            long now = ticker.nanos();
            data.values().removeIf(each -> each.end - now <= 0);
            return lock.admit(request).map(writes -> {
                Instant at = Instant.EPOCH.plus(clock.micros(now), ChronoUnit.MICROS);
                byte[] value = request.value();
                long end = now + TimeUnit.MILLISECONDS.toNanos(request.keep().toMillis());
                Data found = value == null ? data.get(request.key()) : new Data(value.clone(), at, end);
                if (writes && found != null) {
                    data.put(request.key(), found);
                }
                return found == null ? LockData.none(at) : LockData.of(found.value, found.savedAt, at);
            });
        });
    }

    /** Reads all locks at one moment, when the scan is opened. */
    @Override
    public Optional<StoreScan> openScan(String keysStartingWith) {
        return Optional.of(new FinishedScan(locked(() -> statuses(keysStartingWith))));
    }

    private record FinishedScan(List<LockStatus> found) implements StoreScan {

        @Override
        public boolean step() {
            return false;
        }

        @Override
        public int size() {
            return found.size();
        }

        @Override
        public boolean isComplete() {
            return true;
        }
    }

    private List<LockStatus> statuses(String keysStartingWith) {
        return locks.entrySet().stream()
                .filter(lock -> lock.getKey().value().startsWith(keysStartingWith))
                .map(lock -> lock.getValue().at(ticker.nanos()).status(lock.getKey()))
                .filter(status -> !status.holders().isEmpty() || !status.queue().isEmpty())
                .toList();
    }

    @Override
    public void recordWaits(String clientId, List<WaitReport> reports) {
        locked(() -> {
            long micros = clock.micros(ticker.nanos());
            waits.values().removeIf(each -> micros - each.micros > WAITS_MICROS);
            ClientWaits before = waits.remove(clientId);
            if (!reports.isEmpty()) {
                WaitTimes times = before == null ? new WaitTimes() : before.times;
                waits.put(clientId, new ClientWaits(times, times.answered(times.next(reports), micros), micros));
            }
            return waits;
        });
    }

    @Override
    public List<RecordedWait> recordedWaits() {
        long oldest = clock.micros(ticker.nanos()) - WAITS_MICROS;
        return locked(() -> waits.values().stream()
                .filter(each -> each.micros >= oldest)
                .flatMap(each -> each.waits.stream())
                .toList());
    }

    @Override
    public List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        return locked(key, lock -> lock.forceRelease(modes));
    }

    @Override
    public Listening listen(String clientId, WakeListener listener) {
        Consumer<LockState.Message> subscription = message -> {
            if (clientId.equals(message.clientId())) {
                // The caller, who is unrelated to the listener, must not lose its reply.
                DaemonThreads.runGuarded(() -> message.call().accept(listener));
            }
        };
        listeners.add(subscription);
        listener.connected();
        return () -> listeners.remove(subscription);
    }

    /** Does nothing: there is nothing to free. */
    @Override
    public void close() {}

    private <T> T locked(LockKey key, Function<LockState, T> action) {
        return locked(() -> on(key, action));
    }

    private <T> T locked(Supplier<T> action) {
        List<LockState.Message> due;
        T result;
        mutex.lock();
        try {
            result = action.get();
            forgetOld(ticker.nanos());
            due = List.copyOf(messages);
            messages.clear();
        } finally {
            mutex.unlock();
        }
        due.forEach(message -> listeners.forEach(listener -> listener.accept(message)));
        return result;
    }

    private <T> T on(LockKey key, Function<LockState, T> action) {
        LockState lock = locks.computeIfAbsent(key, unused -> new LockState(clock, messages));
        long now = ticker.nanos();
        T result = action.apply(lock.at(now));
        lock.forgetAt(now + TOKEN_RETENTION.toNanos());
        return result;
    }

    private void forgetOld(long now) {
        var oldest = locks.values().iterator();
        while (oldest.hasNext() && oldest.next().isForgettable(now)) {
            oldest.remove();
        }
    }

    /** {@return where the locks are kept} */
    @Override
    public String toString() {
        return "the memory of this process";
    }
}
