package io.holdfast.lock.threads;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits that an interrupt does not end; the interrupt flag is set again afterwards. */
public final class Uninterrupted {

    private Uninterrupted() {}

    /**
     * {@return whether the latch reached zero within the time}
     *
     * @param latch the latch
     * @param nanos the maximum, in nanoseconds
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
