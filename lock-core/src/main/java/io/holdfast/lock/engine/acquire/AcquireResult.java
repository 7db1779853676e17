package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.hold.ClosableHandle;
import java.time.Duration;
import java.util.Optional;

/** The outcome of an acquisition of one or several locks. */
public sealed interface AcquireResult {

    /**
     * {@return this}
     *
     * @throws IllegalStateException if the acquisition could never succeed
     */
    default AcquireResult possible() {
        return this;
    }

    record Acquired(ClosableHandle handle) implements AcquireResult {}

    /**
     * Nothing is held.
     *
     * @param key which of the locks was not free in time, the first one found
     * @param waited how long the call took
     * @param hasWaited whether the caller was willing to wait, instead of a single try
     * @param nestedWait the number of the wait if the caller held locks meanwhile, see {@code NestedWaits}; else 0
     */
    record Contended(LockKey key, Duration waited, Optional<LockHolder> holder, boolean hasWaited, long nestedWait)
            implements AcquireResult {

        /** {@return zero after a single try, whatever the store needed for its answer} */
        public Duration waitedForLock() {
            return hasWaited ? waited : Duration.ZERO;
        }
    }

    /**
     * The thread holds less of the lock than it asked for: shared instead of exclusive, or with a lower weight.
     *
     * @param message says so, and what to do
     */
    record WaitsForItself(String message) implements AcquireResult {

        @Override
        public AcquireResult possible() {
            throw new IllegalStateException(message);
        }
    }
}
