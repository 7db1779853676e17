package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.client.EventPublisher;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One of the handles of a hold. Its state moves one way, by compare-and-set: attached → detached → closed, or attached →
 * closed. So the hold counts it exactly once, and removes it exactly once, whichever threads detach and close it. The hold also
 * counts the handles that need renewal, and those that end with their thread.
 *
 * <p><b>Interrupt on loss.</b> Loss and end hold the monitor of the handle. If the loss comes first, the thread is interrupted while
 * the handle has not ended, and the end clears the flag. If the end comes first, there is no thread left to interrupt. So no thread
 * is interrupted after its handle has ended, for example during its next task in a pool; and a thread that was interrupted has lost
 * the lock before, and learns of it when it closes the handle.
 */
public final class Handle implements ClosableHandle {

    private enum State {
        ATTACHED,
        DETACHED,
        CLOSED
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.ATTACHED);
    final HeldLocks locks;
    final Hold hold;
    private final Map<LockKey, Hold> thread;
    private final boolean exclusive;
    private final boolean renewing;
    private final boolean bound;
    private final boolean interrupting;

    /** Whom a loss interrupts; guarded by this monitor, as is whether it has. */
    private @Nullable Thread worker;

    private boolean interrupted;

    /**
     * What its close has found: the loss, and whether it has ended the hold, so that the lock has yet to be given back. Used by the
     * thread that closes it.
     */
    LockEvent.@Nullable Lost loss;

    boolean last;

    /**
     * @param terms what was asked for
     * @param caller who; a bound handle ends with the current thread
     */
    Handle(HeldLocks locks, Hold hold, Terms terms, HeldLocks.Caller caller) {
        this.locks = locks;
        this.hold = hold;
        this.thread = caller.holds();
        this.exclusive = terms.isExclusive();
        this.renewing = terms.renew();
        this.bound = caller.bound();
        this.interrupting = terms.interrupting();
        if (renewing) {
            hold.startRenewing();
        }
        if (bound) {
            hold.bindTo(Thread.currentThread());
        }
        if (!caller.task()) {
            interruptOnLoss();
        }
    }

    @Override
    public LockKey key() {
        return hold.key();
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
        return hold.token();
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
        return state.get() != State.CLOSED && hold.isLive();
    }

    @Override
    public Duration remaining() {
        return state.get() == State.CLOSED ? Duration.ZERO : hold.remaining();
    }

    @Override
    public void ensureHeld() {
        ensureOpen();
        hold.throwIfLost();
    }

    private void ensureOpen() {
        if (state.get() == State.CLOSED) {
            throw new IllegalStateException("This handle for lock '" + key() + "' was closed; acquire the lock again");
        }
    }

    @Override
    public void extend(Duration atLeast) {
        LockRequest checked = LockRequest.of(key()).lease(atLeast);
        ensureHeld();
        locks.extend(hold, checked.lease().orElse(atLeast).toNanos());
    }

    @Override
    public void onLost(Consumer<LockEvent.Lost> action) {
        ensureOpen();
        Consumer<LockEvent.Lost> once = hold.addLossAction(action);
        LockEvent.Lost known = hold.loss();
        if (known != null) {
            EventPublisher.guarded(() -> once.accept(known));
        }
    }

    @Override
    public LockHandle detach() {
        ensureOpen();
        if (state.compareAndSet(State.ATTACHED, State.DETACHED)) {
            hold.detach();
            leaveThread();
            forgetThread();
        }
        return this;
    }

    @Override
    public void close() {
        closeAfter(null);
    }

    @Override
    public void closeAfter(@Nullable Throwable failure) {
        if (beginClose()) {
            locks.release().end(this);
            throwLoss(failure);
        }
    }

    /** Closes the handle without giving back its lock; that is for {@link Release}. Returns false if it was closed before. */
    boolean beginClose() {
        State former = state.getAndSet(State.CLOSED);
        if (former == State.CLOSED) {
            return false;
        }
        boolean attached = former == State.ATTACHED;
        if (attached) {
            leaveThread();
        }
        loss = hold.loss();
        if (renewing) {
            hold.stopRenewing();
        }
        Hold.Exit exit = hold.exit(attached, exclusive);
        forgetThread();
        last = exit == Hold.Exit.ENDS;
        if (exit == Hold.Exit.DOWNGRADES && loss == null) {
            loss = locks.release().downgrade(hold);
        }
        return true;
    }

    private void leaveThread() {
        endInterrupt();
        if (bound) {
            hold.unbind();
        }
    }

    private void forgetThread() {
        if (hold.holdCount() == 0) {
            thread.remove(key(), hold);
        }
    }

    /** Throws the loss that its close has found, unless the work failed because of that very loss. */
    void throwLoss(@Nullable Throwable failure) {
        LockEvent.Lost found = loss;
        boolean known = failure instanceof LockLostException lost
                && lost.key().equals(key())
                && lost.fencingToken() == fencingToken();
        if (found != null && !known) {
            LockLostException exception = new LockLostException(found);
            if (failure != null) {
                exception.addSuppressed(failure);
            }
            throw exception;
        }
    }

    @Override
    public boolean isExclusive() {
        return exclusive;
    }

    @Override
    public boolean interruptsOnLoss() {
        return interrupting;
    }

    @Override
    public void interruptOnLoss() {
        if (interrupting) {
            synchronized (this) {
                worker = Thread.currentThread();
            }
            hold.interruptOnLoss(this);
        }
    }

    /** The lock is lost. */
    synchronized void interrupt() {
        Thread thread = worker;
        if (thread != null && !interrupted) {
            interrupted = true;
            thread.interrupt();
        }
    }

    /** The handle was closed, or has left its thread. Only a thread itself can clear its flag. */
    private void endInterrupt() {
        if (!interrupting) {
            return;
        }
        synchronized (this) {
            boolean own = worker == Thread.currentThread();
            worker = null;
            if (own && interrupted) {
                Thread.interrupted();
            }
        }
        hold.endInterrupt(this);
    }

    @Override
    public String toString() {
        return "LockHandle[" + key() + ", fencing token " + fencingToken() + "]";
    }
}
