package io.holdfast.lock.store;

/** The reply to a release. */
public enum ReleaseReply {
    /** The owner held the lock, and has released it. */
    RELEASED,
    /** The owner does not hold the lock. */
    NOT_HOLDER,
    /** The owner does not hold the lock, possibly because an earlier send of this release, which got no reply, has released it. */
    GONE
}
