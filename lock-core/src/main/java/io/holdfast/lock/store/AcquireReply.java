package io.holdfast.lock.store;

import io.holdfast.lock.api.LockHolder;
import java.time.Duration;
import java.util.Optional;

/** The reply to an attempt to acquire a lock. */
public sealed interface AcquireReply {

    /** {@return whether the call was sent before without a reply, so that the earlier call may still arrive} */
    default boolean resent() {
        return false;
    }

    /**
     * The caller holds the lock.
     *
     * @param token the fencing token of this grant; the first one if it reserved several
     * @param tokens how many tokens it reserved
     * @param waiters which other callers wait
     * @param resent see {@link AcquireReply#resent}
     */
    record Granted(long token, long tokens, Waiters waiters, boolean resent) implements AcquireReply {}

    /**
     * The lock is held, or others are waiting for it.
     *
     * @param holder the holder, if there is one; any of them if the lock is shared
     * @param storeMicros the store's time in microseconds, see {@link Reservation}
     * @param blockedFor the longest time that the caller should wait before it calls again, because the lock or reservation that blocks it
     *     then expires
     * @param queued how many entries are in the queue, that of this caller included; 0 if it has none
     * @param resent see {@link AcquireReply#resent}
     */
    record Held(Optional<LockHolder> holder, long storeMicros, Duration blockedFor, int queued, boolean resent)
            implements AcquireReply {}

    /** The acquisition was undone before this call arrived: it is cancelled, and its owner id is never granted again. */
    record Cancelled() implements AcquireReply {}
}
