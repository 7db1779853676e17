package io.holdfast.lock.spring.test;

/**
 * A situation that {@link TestLocks} simulates until this is closed. Closing it again has no effect; any thread may close it.
 */
@FunctionalInterface
public interface Simulation extends AutoCloseable {

    /** Ends the simulation. */
    @Override
    void close();
}
