package io.holdfast.lock.store;

import java.util.concurrent.locks.LockSupport;

/** How a waiting thread lets time pass. */
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
     * Lets time pass, until the thread is {@linkplain LockSupport#unpark unparked}. May return early for no reason.
     *
     * @param nanos for how long at most
     * @throws InterruptedException if the thread is interrupted before or meanwhile; its flag is then cleared
     */
    void pause(long nanos) throws InterruptedException;

    /**
     * Lets time pass, and keeps an interrupt for later unless it may end the wait.
     *
     * @param nanos for how long at most
     * @param interruptible whether an interrupt is thrown
     * @return whether the thread was interrupted; its flag is then cleared
     * @throws InterruptedException if the thread is interrupted before or meanwhile, and {@code interruptible}
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
