package io.holdfast.lock.api;

/** Why a held lock was lost. Later versions may add causes. */
public enum LossCause {
    /** The lease expired before a renewal was acknowledged: Redis was unresponsive or unavailable, or this process was paused. */
    EXPIRED(
            "its lease expired before a renewal was acknowledged. Check that Redis responds and that this process was not"
                    + " paused for longer than the lease."),
    /** The lease expired because it was not renewed, or no longer renewed ({@code renew = false}, {@code maxHold}). */
    TIME_LIMIT_REACHED(
            "the work took longer than its fixed lease or maxHold, or its handle was never closed. Set a longer"
                    + " lease or maxHold, enable renewal, or close the handle."),
    /** The store reported that the lock is held by somebody else, or by nobody: a forced release, lost data, or a failover. */
    REVOKED("the store reports that this handle no longer holds it. It was released by force, or the store lost data."),
    /** The thread that held the lock ended without releasing it, so the client released it. */
    THREAD_DIED("the thread that held it ended without releasing it. Unlock in a finally block."),
    /** This client was closed while the lock was held. */
    CLOSED("the lock client was closed."),
    /** A checkpoint of this process was taken while the lock was held; the lock was released first. */
    CHECKPOINT("a checkpoint of this process is being taken, and restored copies must not share the lock."),
    /** A resource has been used by a later holder, see {@link LockTemplate#ensureLatest}. */
    SUPERSEDED(
            "a later holder has already been there, so this transaction is refused. Check that Redis responds and that this"
                    + " process was not paused for longer than the lease.");

    private final String explanation;

    LossCause(String explanation) {
        this.explanation = explanation;
    }

    /** {@return what happened and what to do, phrased as the end of a sentence} */
    public String explanation() {
        return explanation;
    }
}
