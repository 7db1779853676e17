package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.api.RemoteReadWriteLock;
import io.holdfast.lock.store.Ticker;
import java.util.List;

/** Requests as {@link java.util.concurrent.locks.Lock}s. */
record Views(LockOperations operations, Requests requests, Ticker ticker) {

    RemoteLock lock(LockRequest asked) {
        List<RemoteLockView> views =
                requests.changed(asked).each().stream().map(this::view).toList();
        return views.size() == 1 ? views.get(0) : new MultiLockView(operations, ticker, views);
    }

    private RemoteLockView view(LockRequest request) {
        return new RemoteLockView(operations, ticker, request.key(), requests.terms(request));
    }

    RemoteReadWriteLock readWriteLock(LockRequest request) {
        if (request.keys().size() > 1) {
            throw new IllegalArgumentException("A read-write lock takes exactly one key, not "
                    + requests.masked(request).keys()
                    + ". For several keys, combine one request for each key with LockRequest.and, and call getLock.");
        }
        return new ReadWriteView(requests.masked(request).key(), lock(request.shared()), lock(request.exclusive()));
    }

    private record ReadWriteView(LockKey key, RemoteLock readLock, RemoteLock writeLock)
            implements RemoteReadWriteLock {}
}
