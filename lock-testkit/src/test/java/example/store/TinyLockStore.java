package example.store;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.memory.InMemoryLockStore;
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
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** A store as somebody else may write one: it has what the interface requires, and all defaults. */
class TinyLockStore implements LockStore {

    private final InMemoryLockStore locks;

    TinyLockStore(FakeTicker time) {
        this.locks = new InMemoryLockStore(time, time);
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        return locks.acquire(request);
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        return locks.release(request);
    }

    @Override
    public ReleaseReply downgrade(LockKey key, OwnerId owner, long lastFencingToken) {
        return locks.downgrade(key, owner, lastFencingToken);
    }

    @Override
    public List<RenewReply> renew(List<RenewRequest> requests) {
        return locks.renew(requests);
    }

    @Override
    public RenewReply extend(RenewRequest request) {
        return locks.extend(request);
    }

    @Override
    public List<EntryReply> keepEntries(List<EntryRequest> requests) {
        return locks.keepEntries(requests);
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
        locks.leave(key, owner, cancelledFor, lastFencingToken);
    }

    @Override
    public LockStatus inspect(LockKey key) {
        return locks.inspect(key);
    }

    @Override
    public List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        return locks.forceRelease(key, modes);
    }

    @Override
    public Listening listen(String clientId, WakeListener listener) {
        return locks.listen(clientId, listener);
    }

    @Override
    public void close() {
        locks.close();
    }
}
