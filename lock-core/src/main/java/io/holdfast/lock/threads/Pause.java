package io.holdfast.lock.threads;

import java.util.concurrent.locks.LockSupport;

/** How a waiting thread pauses. Tests replace it to run on virtual time. */
@FunctionalInterface
public interface Pause {

    /** Parks the thread. */
    Pause PARK = nanos -> {
        LockSupport.parkNanos(nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    };

    /**
     * Pauses until the time has passed, or the thread is {@linkplain LockSupport#unpark unparked}. May return early for no reason.
     *
     * @param nanos the maximum, in nanoseconds
     * @throws InterruptedException if the thread is interrupted before or during the pause; its flag is then cleared
     */
    void pause(long nanos) throws InterruptedException;
}
