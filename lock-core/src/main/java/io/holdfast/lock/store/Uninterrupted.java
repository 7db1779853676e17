package io.holdfast.lock.store;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits that an interrupt does not end; the thread is interrupted when they have ended. */
public final class Uninterrupted {

    private Uninterrupted() {}

    /**
     * {@return whether the latch came to zero within that time}
     *
     * @param latch what to wait for
     * @param nanos for how long at most
     */
    public static boolean await(CountDownLatch latch, long nanos) {
        long start = System.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return latch.await(nanos - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
