package io.holdfast.lock.store;

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

    /**
     * As {@link #pause(long)}, but reports an interrupt instead of throwing it if the pause is not interruptible.
     *
     * @param nanos the maximum, in nanoseconds
     * @param interruptible whether an interrupt is thrown
     * @return whether the thread was interrupted; its flag is then cleared
     * @throws InterruptedException if the thread is interrupted before or during the pause, and {@code interruptible}
     */
    default boolean pause(long nanos, boolean interruptible) throws InterruptedException {
        try {
            pause(nanos);
            return false;
        } catch (InterruptedException e) {
            if (interruptible) {
                throw e;
            }
            return true;
        }
    }
}
