package io.holdfast.lock.benchmarks.uncontended;

/**
 * Where Redis and the client run. A single thread that sends a request and waits is several times as fast on the core that Redis
 * runs on as on another, because no thread has to be woken there, and the scheduler decides where they run unless they are bound.
 */
public enum Placement {
    /** Wherever the system runs them. */
    ANYWHERE,
    /** Redis has one core, the client the others, which resembles two machines. */
    APART,
    /** Both on one core: the CPU time of both counts. */
    TOGETHER
}
