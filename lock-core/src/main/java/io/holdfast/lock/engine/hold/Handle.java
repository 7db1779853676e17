package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.lease.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One of the handles of a hold. Its state moves one way, by compare-and-set: attached → detached → closed, or attached →
 * closed. So the lease counts it exactly once, and removes it exactly once, whichever threads detach and close it. The lease also
 * counts the handles that need renewal, and those that end with their thread.
 */
public final class Handle implements ClosableHandle {

    private enum State {
        ATTACHED,
        DETACHED,
        CLOSED
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.ATTACHED);
    private final HandleOperations operations;
    private final Hold hold;
    private final Map<LockKey, Hold> thread;
    private final boolean exclusive;
    private final boolean renewing;
    private final boolean bound;
    private final boolean interrupting;
    private volatile @Nullable LossInterrupt interrupt;

    /**
     * @param terms what was asked for
     * @param thread what its thread, or task, holds
     * @param bound whether it ends with the current thread
     */
    public Handle(HandleOperations operations, Hold hold, Terms terms, Map<LockKey, Hold> thread, boolean bound) {
        this.operations = operations;
        this.hold = hold;
        this.thread = thread;
        this.exclusive = terms.isExclusive();
        this.renewing = terms.renew();
        this.bound = bound;
        this.interrupting = terms.interrupting();
        if (renewing) {
            hold.lease().startRenewing();
        }
        if (bound) {
            hold.lease().bind();
        }
    }

    @Override
    public LockKey key() {
        return lease().key();
    }

    @Override
    public List<LockKey> keys() {
        return List.of(key());
    }

    @Override
    public void lockedByView() {
        hold.lockedByView(this);
    }

    @Override
    public long fencingToken() {
        return lease().token();
    }

    @Override
    public long fencingToken(LockKey key) {
        if (!key.equals(key())) {
            throw new IllegalArgumentException(
                    "This handle is for lock '" + key() + "', not '" + shown(key, key()) + "'");
        }
        return fencingToken();
    }

    /** A key as this handle's messages show it: masked if its own key is. */
    static LockKey shown(LockKey other, LockKey own) {
        return own.isMasked() ? other.masked() : other;
    }

    @Override
    public boolean isHeld() {
        return state.get() != State.CLOSED && lease().isLive();
    }

    @Override
    public Duration remaining() {
        return state.get() == State.CLOSED ? Duration.ZERO : lease().remaining();
    }

    @Override
    public void ensureHeld() {
        ensureOpen();
        lease().throwIfLost();
    }

    @Override
    public void extend(Duration atLeast) {
        LockRequest checked = LockRequest.of(key()).lease(atLeast);
        ensureHeld();
        operations.extend(lease(), checked.lease().orElse(atLeast).toNanos());
    }

    @Override
    public void onLost(Consumer<LockEvent.Lost> action) {
        ensureOpen();
        Consumer<LockEvent.Lost> once = lease().addLossAction(action);
        LockEvent.Lost loss = lease().loss();
        if (loss != null) {
            EventPublisher.guarded(() -> once.accept(loss));
        }
    }

    @Override
    public LockHandle detach() {
        ensureOpen();
        if (state.compareAndSet(State.ATTACHED, State.DETACHED)) {
            endInterrupt();
            lease().detach();
            unbind();
            operations.leftThread(hold, thread);
        }
        return this;
    }

    @Override
    public void close() {
        closeAfter(null);
    }

    @Override
    public void closeAfter(@Nullable Throwable failure) {
        Releases.Closed closed = beginClose();
        if (closed != null) {
            tell(operations.releases().end(closed), failure);
        }
    }

    /** Closes the handle without giving back its lock. Returns null if it was closed before. */
    Releases.@Nullable Closed beginClose() {
        State former = state.getAndSet(State.CLOSED);
        if (former == State.CLOSED) {
            return null;
        }
        if (former == State.ATTACHED) {
            endInterrupt();
            unbind();
        }
        return operations.close(hold, thread, former == State.ATTACHED, exclusive, renewing);
    }

    /** Throws the loss that its close has found, unless the work failed because of that very loss. */
    void tell(LockEvent.@Nullable Lost loss, @Nullable Throwable failure) {
        if (loss != null && !isToldBy(failure)) {
            throw new LockLostException(loss).suppressing(failure);
        }
    }

    @Override
    public String toString() {
        return "LockHandle[" + key() + ", fencing token " + fencingToken() + "]";
    }

    private void unbind() {
        if (bound) {
            lease().unbind();
        }
    }

    /** Makes a loss interrupt the current thread from now on, if the request asked for it. */
    @Override
    public void interruptOnLoss() {
        if (interrupting) {
            interrupt = hold.interruptOnLoss(Thread.currentThread());
        }
    }

    private void endInterrupt() {
        LossInterrupt begun = interrupt;
        if (begun != null) {
            hold.endInterrupt(begun);
        }
    }

    @Override
    public boolean interruptsOnLoss() {
        return interrupting;
    }

    private boolean isToldBy(@Nullable Throwable failure) {
        return failure instanceof LockLostException known
                && known.key().equals(key())
                && known.fencingToken() == fencingToken();
    }

    @Override
    public boolean isExclusive() {
        return exclusive;
    }

    HandleOperations operations() {
        return operations;
    }

    private Lease lease() {
        return hold.lease();
    }

    private void ensureOpen() {
        if (state.get() == State.CLOSED) {
            throw new IllegalStateException("This handle for lock '" + key() + "' was closed; acquire the lock again");
        }
    }
}
