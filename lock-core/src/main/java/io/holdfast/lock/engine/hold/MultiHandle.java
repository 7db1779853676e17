package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.client.Each;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Several locks as one: held while all are held, lost when one is lost, closed in the reverse order. */
public final class MultiHandle implements ClosableHandle {

    private static final Logger log = LoggerFactory.getLogger(MultiHandle.class);

    private final List<Handle> handles;

    public MultiHandle(List<Handle> handles) {
        this.handles = List.copyOf(handles);
    }

    /**
     * {@return one handle for several}
     *
     * @param ofViews the handles that views of one lock each have opened
     */
    public static MultiHandle of(List<ClosableHandle> ofViews) {
        return new MultiHandle(ofViews.stream().map(Handle.class::cast).toList());
    }

    @Override
    public LockKey key() {
        return handles.get(0).key();
    }

    @Override
    public List<LockKey> keys() {
        return handles.stream().map(Handle::key).toList();
    }

    @Override
    public void lockedByView() {
        handles.forEach(Handle::lockedByView);
    }

    @Override
    public boolean isExclusive() {
        return handles.stream().anyMatch(Handle::isExclusive);
    }

    @Override
    public long fencingToken() {
        throw new IllegalStateException(
                "This handle covers several keys, each with its own fencing token; call fencingToken(key) with one of "
                        + keys());
    }

    @Override
    public long fencingToken(LockKey key) {
        return handles.stream()
                .filter(handle -> handle.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "This handle covers " + keys() + ", not '" + Handle.shown(key, key()) + "'"))
                .fencingToken();
    }

    @Override
    public boolean isHeld() {
        return handles.stream().allMatch(Handle::isHeld);
    }

    @Override
    public Duration remaining() {
        return handles.stream()
                .map(Handle::remaining)
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public void ensureHeld() {
        handles.forEach(Handle::ensureHeld);
    }

    @Override
    public void extend(Duration atLeast) {
        handles.forEach(handle -> handle.extend(atLeast));
    }

    @Override
    public void onLost(Consumer<LockEvent.Lost> action) {
        Consumer<LockEvent.Lost> once = Hold.once(action);
        handles.forEach(handle -> handle.onLost(once));
    }

    @Override
    public LockHandle detach() {
        handles.forEach(Handle::detach);
        return this;
    }

    @Override
    public void close() {
        closeAfter(null);
    }

    @Override
    public boolean interruptsOnLoss() {
        return handles.stream().anyMatch(Handle::interruptsOnLoss);
    }

    @Override
    public void interruptOnLoss() {
        handles.forEach(Handle::interruptOnLoss);
    }

    /** Closes all of them, whatever happens, in the reverse order, and throws the first loss found. */
    @Override
    public void closeAfter(@Nullable Throwable failure) {
        List<Handle> closed = new ArrayList<>(handles.size());
        if (handles.isEmpty()) {
            return;
        }
        Each.run(
                () -> Each.run(reversed(), handle -> beginClose(handle, closed)),
                () -> handles.get(0).locks.release().endAll(closed));
        LockException loss = null;
        for (Handle handle : closed) {
            try {
                handle.throwLoss(loss == null ? failure : loss);
            } catch (LockException e) {
                loss = loss == null ? e : loss;
            }
        }
        if (loss != null) {
            throw loss;
        }
    }

    private List<Handle> reversed() {
        List<Handle> reversed = new ArrayList<>(handles);
        Collections.reverse(reversed);
        return reversed;
    }

    private static void beginClose(Handle handle, List<Handle> closed) {
        if (handle.beginClose()) {
            closed.add(handle);
        }
    }

    /** Closes locks that are not needed after all; a loss does not matter, and was reported to listeners. */
    public void giveBack() {
        try {
            close();
        } catch (LockException e) {
            log.debug("A lock was lost before the other locks of the request were acquired", e);
        }
    }

    @Override
    public String toString() {
        return "LockHandle" + keys();
    }
}
