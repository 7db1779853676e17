package io.holdfast.lock.store;

/** Who waits for a lock at the store. */
public enum Waiters {
    /** Nobody. */
    NONE,
    /** Somebody, but nobody fair. */
    UNFAIR,
    /** Somebody fair among them, whom nobody may pass. */
    FAIR
}
