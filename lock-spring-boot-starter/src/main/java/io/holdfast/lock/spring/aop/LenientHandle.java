package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** The handle of a method whose loss is logged, wherever it is closed. All else goes to the handle itself. */
final class LenientHandle implements LockHandle {

    private final LockHandle handle;
    private final String caller;

    /**
     * @param caller for the log
     */
    LenientHandle(LockHandle handle, String caller) {
        this.handle = handle;
        this.caller = caller;
    }

    @Override
    public void close() {
        try {
            handle.close();
        } catch (LockLostException loss) {
            Losses.log(caller, loss);
        }
    }

    @Override
    public LockHandle detach() {
        handle.detach();
        return this;
    }

    @Override
    public LockKey key() {
        return handle.key();
    }

    @Override
    public List<LockKey> keys() {
        return handle.keys();
    }

    @Override
    public long fencingToken() {
        return handle.fencingToken();
    }

    @Override
    public long fencingToken(LockKey key) {
        return handle.fencingToken(key);
    }

    @Override
    public boolean isHeld() {
        return handle.isHeld();
    }

    @Override
    public Duration remaining() {
        return handle.remaining();
    }

    @Override
    public void ensureHeld() {
        handle.ensureHeld();
    }

    @Override
    public void extend(Duration atLeast) {
        handle.extend(atLeast);
    }

    @Override
    public void onLost(Consumer<LockEvent.Lost> action) {
        handle.onLost(action);
    }
}
