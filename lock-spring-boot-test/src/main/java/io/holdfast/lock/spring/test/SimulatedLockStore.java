package io.holdfast.lock.spring.test;

import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
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
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.store.scan.RecordedWait;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.store.scan.WaitReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Locks in memory, which another client may hold, and which may be unavailable, as controlled by {@link OtherClient} and {@link
 * TestLocks}. The calls of these two classes bypass an outage, and go directly to {@link #memory()}.
 */
final class SimulatedLockStore implements LockStore {

    private final InMemoryLockStore memory = new InMemoryLockStore();
    private final OtherClient elsewhere = new OtherClient(memory);
    private final Set<LockKey> used = ConcurrentHashMap.newKeySet();
    private final Set<LockKey> roles = ConcurrentHashMap.newKeySet();
    private final AtomicInteger outages = new AtomicInteger();
    private volatile Instant forgottenAt = Instant.MIN;

    InMemoryLockStore memory() {
        return memory;
    }

    OtherClient elsewhere() {
        return elsewhere;
    }

    /** Every key that has been requested since the last call of {@link #forgetUsed}, and those of roles. */
    Set<LockKey> used() {
        return Set.copyOf(used);
    }

    /** What was saved before {@link #forgetUsed} is of an earlier test. */
    private LockData sinceForgotten(LockData data) {
        boolean isOld = data.savedAt().filter(at -> !at.isAfter(forgottenAt)).isPresent();
        return isOld ? LockData.none(data.readAt()) : data;
    }

    private Instant now() {
        return memory.data(DataRequest.read(LockKey.of("now"))).orElseThrow().readAt();
    }

    /** The locks of roles are kept: their terms continue. */
    void forgetUsed() {
        forgottenAt = now();
        used.removeIf(key -> !isRole(key));
    }

    Simulation fail() {
        outages.incrementAndGet();
        return new Once(outages::decrementAndGet);
    }

    /**
     * Every request of the application passes through here: a request of an election is recorded, and waits as it does in
     * production, so that its role has a leader again once the lock is free. Other requests need not wait for a lock that another
     * client holds forever.
     */
    LockRequest withoutVainWait(LockRequest request) {
        if (isCandidacy(request)) {
            roles.addAll(request.keys());
            return request;
        }
        return elsewhere.keepsOutForGood(request) ? request.waitFor(Duration.ZERO) : request;
    }

    /** Only an election has no limit for waiting, holding and warnings; its key and name can be chosen freely. */
    private static boolean isCandidacy(LockRequest request) {
        Optional<Duration> unlimited = Optional.of(LockRequest.MAX_TIME);
        return request.waitFor().equals(unlimited)
                && request.maxHold().equals(unlimited)
                && request.warnAfter().equals(unlimited);
    }

    /** Whether it is the lock of a leader role, for which an election of the application is a candidate. */
    boolean isRole(LockKey key) {
        return roles.contains(key);
    }

    private InMemoryLockStore reachable() {
        if (outages.get() > 0) {
            throw new LockStoreException(
                    "The lock store does not respond: TestLocks.failStore() is active.", null, false);
        }
        return memory;
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        used.add(request.key());
        return reachable().acquire(request);
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        return reachable().release(request);
    }

    @Override
    public ReleaseReply downgrade(LockKey key, OwnerId owner, long lastFencingToken) {
        return reachable().downgrade(key, owner, lastFencingToken);
    }

    @Override
    public List<RenewReply> renew(List<RenewRequest> requests) {
        return reachable().renew(requests);
    }

    @Override
    public RenewReply extend(RenewRequest request) {
        return reachable().extend(request);
    }

    @Override
    public List<EntryReply> keepEntries(List<EntryRequest> requests) {
        return reachable().keepEntries(requests);
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
        reachable().leave(key, owner, cancelledFor, lastFencingToken);
    }

    @Override
    public LockStatus inspect(LockKey key) {
        return reachable().inspect(key);
    }

    @Override
    public boolean keepsData() {
        return memory.keepsData();
    }

    @Override
    public Optional<LockData> data(DataRequest request) {
        return reachable().data(request).map(this::sinceForgotten);
    }

    @Override
    public Optional<StoreScan> openScan(String keysStartingWith) {
        return reachable().openScan(keysStartingWith);
    }

    @Override
    public void recordWaits(String clientId, List<WaitReport> waits) {
        reachable().recordWaits(clientId, waits);
    }

    @Override
    public List<RecordedWait> recordedWaits() {
        return reachable().recordedWaits();
    }

    @Override
    public List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        return reachable().forceRelease(key, modes);
    }

    @Override
    public Listening listen(String clientId, WakeListener listener) {
        return memory.listen(clientId, listener);
    }

    @Override
    public void close() {
        memory.close();
    }

    @Override
    public String toString() {
        return "the memory of this test";
    }
}
