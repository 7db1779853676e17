package io.holdfast.lock.spring.test;

/** Something that {@link TestLocks} plays, until it is closed. Closing twice does nothing; any thread may close. */
@FunctionalInterface
public interface Simulation extends AutoCloseable {

    /** Ends it. */
    @Override
    void close();
}
