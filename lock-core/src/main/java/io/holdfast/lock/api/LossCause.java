package io.holdfast.lock.api;

/** Why a held lock was lost. */
public enum LossCause {
    /** The lease ran out before a renewal was acknowledged: Redis hung or was away, or this process stood still. */
    EXPIRED,
    /** The lease was not, or no longer, to be renewed ({@code renew = false}, {@code maxHold}) and ran out. */
    LIMIT_REACHED,
    /** The store answered that somebody else, or nobody, holds the lock: forced release, lost data, a failover. */
    REVOKED,
    /** The thread that the lock was bound to ended without releasing it; the lock was released then. */
    THREAD_DIED,
    /** This client was closed while the lock was held. */
    CLOSED
}
