package io.holdfast.lock.leader;

import java.time.Duration;
import java.util.concurrent.Executor;

/** Runs actions on threads other than the caller's, immediately or later. */
interface Background extends Executor, AutoCloseable {

    /** Runs the action after the given time. */
    void after(Duration time, Runnable action);

    /** Whether the current thread runs one of the actions. */
    default boolean isRunningHere() {
        return false;
    }

    /** Accepts no more actions. */
    @Override
    void close();
}
