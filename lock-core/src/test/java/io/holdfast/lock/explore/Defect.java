package io.holdfast.lock.explore;

/** Rules that are left out on purpose, to see that the exploration notices. */
enum Defect {
    /** A grant by message is believed whatever it says. */
    BELIEVED_MESSAGES,
    /** A cloned process goes on with the owner ids of the other one. */
    SAME_OWNER_IDS,
    /** An entry counts as heard of although nobody has asked for it, so that it is reserved again and again. */
    SILENT_ENTRIES_COUNT_AS_HEARD,
    /** A grant that comes after its own deadline is told as contention. */
    LATE_GRANT_IS_CONTENTION,
    /** A grant that comes after its own deadline is used. */
    LATE_GRANT_IS_USED,
    /** Leases count from the answer instead of from before the call was sent. */
    LEASE_COUNTS_FROM_ANSWER,
    /** A call that may still arrive is not refused when it does. */
    NO_CANCELLATION,
    /** A restarted server takes its start for up to a second earlier than it was. */
    EARLY_REJOIN_NOTE,
    /** A restarted server grants what it does not know at once. */
    NO_REJOIN_DELAY,
    /** A server says that it has noted a token which others agreed on, and has not. */
    TOKEN_NOT_NOTED
}
