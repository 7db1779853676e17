package io.holdfast.lock.store;

/** Which callers wait for a lock at the store. */
public enum Waiters {
    /** None. */
    NONE,
    /** At least one, none of them fair. */
    UNFAIR,
    /** At least one of them is fair, and must not be overtaken. */
    FAIR
}
