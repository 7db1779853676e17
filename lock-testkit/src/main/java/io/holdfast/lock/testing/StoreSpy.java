package io.holdfast.lock.testing;

import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
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
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.store.scan.RecordedWait;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.store.scan.WaitReport;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** A store that records its calls, and fails on demand: before it does the work, or after it. */
public class StoreSpy implements LockStore {

    private final LockStore delegate;
    public final List<AcquireRequest> acquires = new CopyOnWriteArrayList<>();
    public final List<List<RenewRequest>> renewals = new CopyOnWriteArrayList<>();
    public final List<List<EntryRequest>> polls = new CopyOnWriteArrayList<>();
    public final List<OwnerId> releases = new CopyOnWriteArrayList<>();
    /** The number of locks in each call that acquires several; negative for releases. */
    public final List<Integer> joint = new CopyOnWriteArrayList<>();

    /** The recorded waits of callers that hold other locks. */
    public final List<List<WaitReport>> waitRecords = new CopyOnWriteArrayList<>();

    public final List<OwnerId> leaves = new CopyOnWriteArrayList<>();
    public final List<DataRequest> dataCalls = new CopyOnWriteArrayList<>();
    /** Whether calls for several locks are refused, so that the locks are requested one by one, in order. */
    public volatile boolean oneByOne;

    public volatile Runnable beforeAcquire = () -> {};
    public volatile Runnable beforeListen = () -> {};
    public volatile Runnable before = () -> {};
    public volatile Runnable after = () -> {};
    public volatile Runnable beforeRelease = () -> {};
    public volatile Runnable afterRelease = () -> {};

    public StoreSpy(LockStore delegate) {
        this.delegate = delegate;
    }

    public static LockStoreException unreachable() {
        return new LockStoreException("Redis cannot be reached (on purpose)", null, true);
    }

    public void reachable(boolean reachable) {
        before = reachable
                ? () -> {}
                : () -> {
                    throw unreachable();
                };
    }

    /** Runs the action once, before the next call by this thread. */
    public void beforeNextCallHere(Runnable action) {
        before = here(() -> {
            before = () -> {};
            action.run();
        });
    }

    /** Runs the action once, after the next call by this thread. */
    public void afterNextCallHere(Runnable action) {
        after = here(() -> {
            after = () -> {};
            action.run();
        });
    }

    /** Runs the action after each call by this thread. */
    public void afterCallsHere(Runnable action) {
        after = here(action);
    }

    /** Ignores calls by other threads, such as the engine's, which check leases on their own. */
    private static Runnable here(Runnable action) {
        Thread here = Thread.currentThread();
        return () -> {
            if (Thread.currentThread() == here) {
                action.run();
            }
        };
    }

    @Override
    public Duration longestLease() {
        return delegate.longestLease();
    }

    private <T> T call(Supplier<T> work) {
        before.run();
        T result = work.get();
        after.run();
        return result;
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        acquires.add(request);
        beforeAcquire.run();
        return call(() -> delegate.acquire(request));
    }

    @Override
    public AcquireAllReply acquireAll(List<AcquireRequest> requests) {
        if (oneByOne) {
            return new AcquireAllReply.OneByOne(false);
        }
        joint.add(requests.size());
        acquires.addAll(requests);
        beforeAcquire.run();
        return call(() -> delegate.acquireAll(requests));
    }

    @Override
    public List<Pending<ReleaseReply>> releaseAll(List<ReleaseRequest> requests) {
        joint.add(-requests.size());
        requests.forEach(request -> releases.add(request.owner()));
        beforeRelease.run();
        List<Pending<ReleaseReply>> replies = call(() -> delegate.releaseAll(requests).stream()
                .map(Pending::await)
                .<Pending<ReleaseReply>>map(reply -> () -> reply)
                .toList());
        afterRelease.run();
        return replies;
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        releases.add(request.owner());
        beforeRelease.run();
        ReleaseReply reply = call(() -> delegate.release(request));
        afterRelease.run();
        return reply;
    }

    @Override
    public ReleaseReply downgrade(LockKey key, OwnerId owner, long lastFencingToken) {
        return call(() -> delegate.downgrade(key, owner, lastFencingToken));
    }

    @Override
    public List<EntryReply> keepEntries(List<EntryRequest> requests) {
        polls.add(List.copyOf(requests));
        return call(() -> delegate.keepEntries(requests));
    }

    @Override
    public Listening listen(String clientId, WakeListener listener) {
        beforeListen.run();
        return delegate.listen(clientId, listener);
    }

    @Override
    public List<RenewReply> renew(List<RenewRequest> requests) {
        renewals.add(List.copyOf(requests));
        return call(() -> delegate.renew(requests));
    }

    @Override
    public String serverOf(LockKey key) {
        return delegate.serverOf(key);
    }

    @Override
    public RenewReply extend(RenewRequest request) {
        renewals.add(List.of(request));
        return call(() -> delegate.extend(request));
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
        leaves.add(owner);
        call(() -> {
            delegate.leave(key, owner, cancelledFor, lastFencingToken);
            return owner;
        });
    }

    @Override
    public Duration longestDelay() {
        return delegate.longestDelay();
    }

    @Override
    public LockStatus inspect(LockKey key) {
        return delegate.inspect(key);
    }

    @Override
    public boolean keepsData() {
        return delegate.keepsData();
    }

    @Override
    public Optional<LockData> data(DataRequest request) {
        dataCalls.add(request);
        return call(() -> delegate.data(request));
    }

    @Override
    public Optional<StoreScan> openScan(String keysStartingWith) {
        return delegate.openScan(keysStartingWith);
    }

    @Override
    public void recordWaits(String clientId, List<WaitReport> waits) {
        waitRecords.add(List.copyOf(waits));
        delegate.recordWaits(clientId, waits);
    }

    @Override
    public List<RecordedWait> recordedWaits() {
        return call(delegate::recordedWaits);
    }

    @Override
    public List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        return call(() -> delegate.forceRelease(key, modes));
    }

    @Override
    public List<String> warnings() {
        return delegate.warnings();
    }

    @Override
    public void disconnect() {
        delegate.disconnect();
    }

    @Override
    public void connect() {
        delegate.connect();
    }

    @Override
    public void close() {
        delegate.close();
    }

    @Override
    public String toString() {
        return delegate.toString();
    }
}
