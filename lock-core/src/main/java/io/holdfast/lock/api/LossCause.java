package io.holdfast.lock.api;

/** Why a held lock was lost. */
public enum LossCause {
    /** The lease ran out before a renewal was acknowledged: Redis hung or was away, or this process stood still. */
    EXPIRED(
            "its lease expired before a renewal was acknowledged. Check that Redis responds and that this process was not"
                    + " paused for longer than the lease."),
    /** The lease was not, or no longer, to be renewed ({@code renew = false}, {@code maxHold}) and ran out. */
    LIMIT_REACHED(
            "the work took longer than its fixed lease or maxHold, or its handle was never closed. Raise the limit, or enable"
                    + " lease renewal."),
    /** The store answered that somebody else, or nobody, holds the lock: forced release, lost data, a failover. */
    REVOKED("the store reports that this handle does not hold it. It was released by force, or the store lost data."),
    /** The thread that the lock was bound to ended without releasing it; the lock was released then. */
    THREAD_DIED("the thread it was bound to ended without releasing it. Unlock in a finally block."),
    /** This client was closed while the lock was held. */
    CLOSED("the lock client was closed."),
    /** This process was to be saved as a checkpoint while the lock was held; the lock was released before. */
    CHECKPOINT("a checkpoint of this process is being taken, and restored copies must not share the lock.");

    private final String explanation;

    LossCause(String explanation) {
        this.explanation = explanation;
    }

    /** {@return what happened and what to do, as the end of a sentence} */
    public String explanation() {
        return explanation;
    }
}
