package io.holdfast.lock.store;

import io.holdfast.lock.api.LockHolder;
import java.time.Duration;
import java.util.Optional;

/** The answer to one try. */
public sealed interface AcquireReply {

    /**
     * The caller holds the lock.
     *
     * @param token the fencing token of this grant; the first of those that it reserved
     * @param tokens how many it reserved
     * @param waiters who else waits
     * @param resent whether an earlier send of this call was not answered, and may still arrive
     */
    record Granted(long token, long tokens, Waiters waiters, boolean resent) implements AcquireReply {}

    /**
     * The lock is held, or others wait for it.
     *
     * @param holder who holds it, if anybody
     * @param storeMicros the store's clock, see {@link Reservation}
     * @param blockedFor when it is worth while to ask again at the latest: what holds up the caller ends by itself then
     * @param resent whether an earlier send of this call was not answered, and may still arrive
     */
    record Held(Optional<LockHolder> holder, long storeMicros, Duration blockedFor, boolean resent)
            implements AcquireReply {}

    /** The acquisition was undone before this call arrived: it is cancelled, and its owner id gets nothing any more. */
    record Cancelled() implements AcquireReply {}
}
