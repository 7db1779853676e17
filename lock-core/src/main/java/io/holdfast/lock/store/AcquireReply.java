package io.holdfast.lock.store;

import io.holdfast.lock.api.LockHolder;

/** The answer to one try. */
public sealed interface AcquireReply {

    /**
     * The caller holds the lock.
     *
     * @param token the fencing token of this grant
     */
    record Granted(long token) implements AcquireReply {}

    /**
     * Somebody else holds the lock.
     *
     * @param holder who, and for how long without renewal
     */
    record Held(LockHolder holder) implements AcquireReply {}

    /** The acquisition was undone before this call arrived; its owner id gets nothing any more. */
    record Buried() implements AcquireReply {}
}
