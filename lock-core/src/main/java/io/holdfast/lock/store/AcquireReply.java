package io.holdfast.lock.store;

import io.holdfast.lock.api.LockHolder;

/** The answer to one try. */
public sealed interface AcquireReply {

    /**
     * The caller holds the lock.
     *
     * @param token the fencing token of this grant
     * @param resent whether an earlier send of this call was not answered, and may still arrive
     */
    record Granted(long token, boolean resent) implements AcquireReply {

        /**
         * The answer to the only send.
         *
         * @param token the fencing token of this grant
         */
        public Granted(long token) {
            this(token, false);
        }
    }

    /**
     * Somebody else holds the lock.
     *
     * @param holder who, and for how long without renewal
     * @param resent whether an earlier send of this call was not answered, and may still arrive
     */
    record Held(LockHolder holder, boolean resent) implements AcquireReply {

        /**
         * The answer to the only send.
         *
         * @param holder who, and for how long without renewal
         */
        public Held(LockHolder holder) {
            this(holder, false);
        }
    }

    /** The acquisition was undone before this call arrived; its owner id gets nothing any more. */
    record Buried() implements AcquireReply {}
}
