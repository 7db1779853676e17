package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockedFunction;
import io.holdfast.lock.engine.acquire.AcquireResult;
import io.holdfast.lock.engine.hold.ClosableHandle;
import org.jspecify.annotations.Nullable;

/** What becomes of an acquisition. */
final class Outcomes {

    private Outcomes() {}

    static <T extends @Nullable Object, E extends Throwable> T run(ClosableHandle handle, LockedFunction<T, E> work)
            throws E {
        T result;
        try {
            result = work.apply(handle);
        } catch (Throwable failure) {
            handle.closeAfter(failure);
            throw failure;
        }
        handle.close();
        return result;
    }

    /** @throws IllegalStateException if it could never succeed */
    static AcquireResult possible(AcquireResult result) {
        if (result instanceof AcquireResult.WaitsForItself never) {
            throw new IllegalStateException(never.message());
        }
        return result;
    }
}
