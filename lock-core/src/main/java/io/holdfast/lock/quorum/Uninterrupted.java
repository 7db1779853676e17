package io.holdfast.lock.quorum;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits that an interrupt does not end; the thread is interrupted when they have ended. */
final class Uninterrupted {

    private Uninterrupted() {}

    /** {@return whether it came to zero within that time} */
    static boolean await(CountDownLatch latch, long nanos) {
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
