package io.holdfast.lock.benchmarks.uncontended;

/**
 * Where Redis and the client run. One thread that asks and waits is several times as fast on the core that Redis runs on
 * as on another one, since nobody has to be woken there, and the scheduler decides where they run unless it is told.
 */
public enum Placement {
    /** As the system likes. */
    ANYWHERE,
    /** Redis has a core, the client the others: the likeness of two machines. */
    APART,
    /** Both on one core: what counts is the processor time of both. */
    TOGETHER
}
