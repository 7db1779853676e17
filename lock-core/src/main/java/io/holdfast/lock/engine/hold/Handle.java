package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.client.Each;
import io.holdfast.lock.engine.client.EventPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a caller closes: a use of one hold, or of several as one, which are held while all are held, and lost when one is lost.
 *
 * <p>Its state moves one way, by compare-and-set: attached → detached → closed, or attached → closed. So each hold counts it exactly
 * once, and removes it exactly once, whichever threads detach and close it.
 */
public final class Handle implements LockHandle, AcquireResult {

    private static final Logger log = LoggerFactory.getLogger(Handle.class);

    private enum State {
        ATTACHED,
        DETACHED,
        CLOSED
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.ATTACHED);
    private final HeldLocks locks;
    private final Map<LockKey, Hold> thread;
    final List<Hold.Use> uses;

    /**
     * @param thread what its thread, or task, holds
     * @param uses in the order in which the locks were acquired, at least one
     */
    public Handle(HeldLocks locks, Map<LockKey, Hold> thread, List<Hold.Use> uses) {
        this.locks = locks;
        this.thread = thread;
        this.uses = uses;
    }

    /** One handle instead of several of one caller, which are not used any more. */
    public static Handle of(List<Handle> parts) {
        Handle first = parts.get(0);
        return new Handle(
                first.locks,
                first.thread,
                parts.stream().flatMap(part -> part.uses.stream()).toList());
    }

    @Override
    public LockKey key() {
        return uses.get(0).hold().key();
    }

    @Override
    public List<LockKey> keys() {
        return uses.stream().map(use -> use.hold().key()).toList();
    }

    /** It was opened by views of its locks, and is closed by them. */
    public void lockedByView() {
        uses.forEach(use -> use.ofView = true);
    }

    @Override
    public long fencingToken() {
        if (uses.size() > 1) {
            throw new IllegalStateException(
                    "This handle covers several keys, each with its own fencing token; call fencingToken(key) with one of "
                            + keys());
        }
        return uses.get(0).hold().token();
    }

    @Override
    public long fencingToken(LockKey key) {
        return uses.stream()
                .map(Hold.Use::hold)
                .filter(hold -> hold.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "This handle covers " + keys() + ", not '" + (key().isMasked() ? key.masked() : key) + "'"))
                .token();
    }

    @Override
    public boolean isHeld() {
        return state.get() != State.CLOSED
                && uses.stream().allMatch(use -> use.hold().isLive());
    }

    @Override
    public Duration remaining() {
        return uses.stream()
                .map(use ->
                        state.get() == State.CLOSED ? Duration.ZERO : use.hold().remaining())
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public void ensureHeld() {
        ensureOpen();
        uses.forEach(use -> use.hold().throwIfLost());
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
        uses.forEach(
                use -> locks.extend(use.hold(), checked.lease().orElse(atLeast).toNanos()));
    }

    @Override
    public void onLost(Consumer<LockEvent.Lost> action) {
        ensureOpen();
        Consumer<LockEvent.Lost> once = Hold.once(action);
        for (Hold.Use use : uses) {
            use.hold().addLossAction(once);
            LockEvent.Lost known = use.hold().loss();
            if (known != null) {
                EventPublisher.guarded(() -> once.accept(known));
            }
        }
    }

    @Override
    public LockHandle detach() {
        ensureOpen();
        if (state.compareAndSet(State.ATTACHED, State.DETACHED)) {
            for (Hold.Use use : uses) {
                use.hold().detach(use);
                use.endInterrupt();
                forgetThread(use.hold());
            }
        }
        return this;
    }

    private void forgetThread(Hold hold) {
        if (hold.holdCount() == 0) {
            thread.remove(hold.key(), hold);
        }
    }

    @Override
    public void close() {
        closeAfter(null);
    }

    /**
     * Closes, in the reverse order, whatever happens. Throws the first loss found, with the failure of the guarded code suppressed
     * inside, unless that code failed because of that very loss.
     *
     * @param failure what the guarded code threw, or null
     */
    public void closeAfter(@Nullable Throwable failure) {
        State former = state.getAndSet(State.CLOSED);
        if (former == State.CLOSED) {
            return;
        }
        List<Hold.Use> reversed = new ArrayList<>(uses);
        Collections.reverse(reversed);
        Each.run(
                () -> Each.run(reversed, use -> beginClose(use, former == State.ATTACHED)),
                () -> locks.release().end(reversed));
        for (Hold.Use use : reversed) {
            LockEvent.Lost found = use.loss;
            boolean known = failure instanceof LockLostException lost
                    && lost.key().equals(use.hold().key())
                    && lost.fencingToken() == use.hold().token();
            if (found != null && !known) {
                LockLostException exception = new LockLostException(found);
                if (failure != null) {
                    exception.addSuppressed(failure);
                }
                throw exception;
            }
        }
    }

    /** Closes a use without giving back its lock; that is for {@link Release}. */
    private void beginClose(Hold.Use use, boolean attached) {
        Hold hold = use.hold();
        if (attached) {
            use.endInterrupt();
        }
        use.loss = hold.loss();
        Hold.Exit exit = hold.exit(use);
        forgetThread(hold);
        use.last = exit == Hold.Exit.ENDS;
        if (exit == Hold.Exit.DOWNGRADES && use.loss == null) {
            use.loss = locks.release().downgrade(hold);
        }
    }

    /** Closes handles of locks that are not needed after all; a loss does not matter, and was reported to listeners. */
    public static void giveBack(List<Handle> parts) {
        if (!parts.isEmpty()) {
            try {
                of(parts).close();
            } catch (LockException e) {
                log.debug("A lock was lost before the other locks of the request were acquired", e);
            }
        }
    }

    /** {@return whether a loss interrupts the work} */
    public boolean interruptsOnLoss() {
        return uses.stream().anyMatch(use -> use.terms.interrupting());
    }

    /** Makes a loss interrupt the current thread from now on, if {@link #interruptsOnLoss}. */
    public void interruptOnLoss() {
        uses.stream().filter(use -> use.terms.interrupting()).forEach(Hold.Use::interruptOnLoss);
    }

    @Override
    public String toString() {
        return uses.stream()
                .map(use -> use.hold().key() + ", fencing token " + use.hold().token())
                .collect(Collectors.joining("; ", "LockHandle[", "]"));
    }
}
