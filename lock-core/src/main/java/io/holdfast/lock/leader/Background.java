package io.holdfast.lock.leader;

import java.time.Duration;
import java.util.concurrent.Executor;

/** Runs actions on threads other than the caller's, immediately or later. */
interface Background extends Executor {

    /** Runs the action after the given time. */
    void after(Duration time, Runnable action);

    /**
     * Accepts no more actions.
     *
     * @param await whether to give the last ones a moment to end
     */
    void close(boolean await);
}
