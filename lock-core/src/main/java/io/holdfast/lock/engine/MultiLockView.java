package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.acquire.Call;
import io.holdfast.lock.engine.acquire.Caller;
import io.holdfast.lock.engine.hold.MultiHandle;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.waiting.Budget;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** Several keys as one {@link java.util.concurrent.locks.Lock}: all are locked, or none. */
final class MultiLockView extends LockView {

    private final List<RemoteLockView> views;

    /** @param views one for each key, in the order of the keys */
    MultiLockView(LockOperations operations, Ticker ticker, List<RemoteLockView> views) {
        super(operations, ticker);
        this.views = List.copyOf(views);
    }

    @Override
    public LockKey key() {
        return views.get(0).key();
    }

    @Override
    public List<LockKey> keys() {
        return views.stream().map(RemoteLockView::key).toList();
    }

    @Override
    List<Call> calls(Budget budget, Caller caller) {
        return views.stream().map(view -> view.call(budget, caller)).toList();
    }

    @Override
    public void unlock() {
        views.forEach(RemoteLockView::requireLocked);
        MultiHandle.of(views.stream().map(RemoteLockView::takeLast).toList()).close();
    }

    @Override
    public int holdCount() {
        return views.stream().mapToInt(RemoteLockView::holdCount).min().orElse(0);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return views.stream().allMatch(RemoteLockView::isHeldByCurrentThread);
    }

    @Override
    public boolean isLocked() {
        return views.stream().anyMatch(RemoteLockView::isLocked);
    }

    @Override
    public Duration remaining() {
        return views.stream()
                .map(RemoteLockView::remaining)
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public long fencingToken() {
        throw new IllegalStateException("This lock has several keys, each with its own fencing token; use getLock(\""
                + key() + "\").fencingToken()");
    }

    /** Releases all of them, whatever the first ones return. */
    @Override
    public boolean forceUnlock() {
        return views.stream().filter(RemoteLockView::forceUnlock).count() > 0;
    }

    @Override
    public String toString() {
        return "RemoteLock" + views;
    }
}
