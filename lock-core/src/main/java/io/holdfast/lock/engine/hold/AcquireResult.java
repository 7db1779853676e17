package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import java.time.Duration;
import java.util.Optional;

/** The outcome of an acquisition of one or several locks: a handle, or the reason why nothing is held. */
public sealed interface AcquireResult permits Handle, AcquireResult.Contended {

    /**
     * Nothing is held.
     *
     * @param key the lock that was not free in time, the first one found
     * @param waitedFor how long the call took; zero after a single try, however long the store took to reply
     * @param hasWaited whether the caller was willing to wait, rather than make a single try
     * @param nestedWait the id of the wait if the caller held locks during it, see {@code Waits}; otherwise 0
     */
    record Contended(LockKey key, Duration waitedFor, Optional<LockHolder> holder, boolean hasWaited, long nestedWait)
            implements AcquireResult {}
}
