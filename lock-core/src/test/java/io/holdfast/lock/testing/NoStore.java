package io.holdfast.lock.testing;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
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
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** A store that supports nothing, for tests that override the calls they expect. */
public class NoStore implements LockStore {

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ReleaseReply downgrade(LockKey key, OwnerId owner, long lastFencingToken) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<RenewReply> renew(List<RenewRequest> requests) {
        throw new UnsupportedOperationException();
    }

    @Override
    public RenewReply extend(RenewRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<EntryReply> keepEntries(List<EntryRequest> requests) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
        throw new UnsupportedOperationException();
    }

    @Override
    public LockStatus inspect(LockKey key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Listening listen(String clientId, WakeListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
