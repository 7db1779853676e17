package io.holdfast.lock.store;

/** The answer to a release. */
public enum ReleaseReply {
    /** The owner was the holder, and is no longer. */
    RELEASED,
    /** The owner is not the holder. */
    NOT_HOLDER,
    /** The owner is not the holder, and it may be that an earlier, unanswered send of this release has seen to that. */
    GONE
}
