package io.holdfast.lock.leader;

import java.time.Duration;
import java.util.concurrent.Executor;

/** What runs on other threads than the caller's: at once, or later. */
interface Background extends Executor, AutoCloseable {

    /** Runs the action after that time. */
    void after(Duration time, Runnable action);

    /** Runs nothing new any more. */
    @Override
    void close();
}
