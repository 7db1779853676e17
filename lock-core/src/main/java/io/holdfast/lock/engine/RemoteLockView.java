package io.holdfast.lock.engine;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.acquire.Call;
import io.holdfast.lock.engine.acquire.Caller;
import io.holdfast.lock.engine.hold.ClosableHandle;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.waiting.Budget;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A key as a {@link java.util.concurrent.locks.Lock}. Keeps nothing of its own: all views of a key are one lock. */
final class RemoteLockView extends LockView {

    /** Holds of a shared lock that {@link #toString} describes. */
    private static final int MAX_DESCRIBED = 3;

    private final LockKey key;
    private final Terms terms;

    RemoteLockView(LockOperations operations, Ticker ticker, LockKey key, Terms terms) {
        super(operations, ticker);
        this.key = key;
        this.terms = terms;
    }

    @Override
    public LockKey key() {
        return key;
    }

    @Override
    List<Call> calls(Budget budget, Caller caller) {
        return List.of(call(budget, caller));
    }

    Call call(Budget budget, Caller caller) {
        return new Call(key, terms, budget, caller);
    }

    @Override
    public void unlock() {
        takeLast().close();
    }

    /** The handle that was opened last, to be closed. */
    ClosableHandle takeLast() {
        Hold hold = hold();
        ClosableHandle last = hold == null ? null : hold.unlockedByView(terms.isExclusive());
        if (last == null) {
            throw notHeld();
        }
        return last;
    }

    /** @throws IllegalMonitorStateException if there is nothing to unlock */
    void requireLocked() {
        Hold hold = hold();
        if (hold == null || !hold.isLockedByView(terms.isExclusive())) {
            throw notHeld();
        }
    }

    @Override
    public int holdCount() {
        Hold hold = held();
        return hold == null ? 0 : hold.holdCount();
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Hold hold = held();
        return hold != null && hold.isLive();
    }

    @Override
    public boolean isLocked() {
        return operations.inspect(key).holders().stream().anyMatch(each -> each.mode() == terms.mode());
    }

    @Override
    public Duration remaining() {
        Hold hold = held();
        return hold == null ? Duration.ZERO : hold.remaining();
    }

    @Override
    public long fencingToken() {
        Hold hold = held();
        if (hold == null) {
            throw new IllegalMonitorStateException(
                    "Thread " + Thread.currentThread().getName() + " does not hold lock '" + key
                            + (terms.isExclusive() ? "' exclusively" : "'"));
        }
        return hold.token();
    }

    @Override
    public boolean forceUnlock() {
        return !operations.forceRelease(key, Set.of(terms.mode())).isEmpty();
    }

    /** The thread's hold, lost or not, if it covers the mode of this view: an exclusive hold includes reading. */
    private @Nullable Hold held() {
        Hold hold = hold();
        return hold != null && covers(hold) ? hold : null;
    }

    private boolean covers(Hold hold) {
        return hold.isExclusive() || !terms.isExclusive();
    }

    private @Nullable Hold hold() {
        return operations.locks().ofCurrentThread().get(key);
    }

    private IllegalMonitorStateException notHeld() {
        return new IllegalMonitorStateException(
                "Thread " + Thread.currentThread().getName() + " has not acquired lock '" + key
                        + "' through a RemoteLock, or has already released it");
    }

    /**
     * The thread that holds it, as the records of this client show it; does not call the store. The current thread's own hold comes
     * first, also if it is lost; then the holds of other threads, of which a shared lock may have several.
     */
    @Override
    public String toString() {
        Hold own = held();
        List<Hold> holds = own == null ? holdsOfOthers() : List.of(own);
        String state = holds.isEmpty()
                ? "not held by this client"
                : holds.stream()
                                .limit(MAX_DESCRIBED)
                                .map(RemoteLockView::describe)
                                .collect(Collectors.joining("; "))
                        + (holds.size() > MAX_DESCRIBED ? "; and " + (holds.size() - MAX_DESCRIBED) + " more" : "");
        return "RemoteLock[" + key + ", " + terms.mode() + ", " + state + "]";
    }

    private List<Hold> holdsOfOthers() {
        return operations.locks().all().stream()
                .filter(hold -> hold.key().equals(key)
                        && covers(hold)
                        && hold.isLive())
                .toList();
    }

    private static String describe(Hold hold) {
        String thread = "thread '" + hold.thread() + "'";
        return hold.isLive()
                ? "held by " + thread + ", hold count " + hold.holdCount() + ", token " + hold.token() + ", "
                        + DurationText.of(hold.remaining()) + " left"
                : "lost by " + thread;
    }
}
