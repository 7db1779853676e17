package io.holdfast.lock.waiting;

import java.util.concurrent.TimeUnit;

/** How a waiting caller lets time pass. */
@FunctionalInterface
public interface Pause {

    /** Sleeps. */
    Pause SLEEP = TimeUnit.NANOSECONDS::sleep;

    /**
     * Lets time pass.
     *
     * @param nanos for how long
     * @throws InterruptedException if the thread is interrupted before or meanwhile
     */
    void pause(long nanos) throws InterruptedException;
}
