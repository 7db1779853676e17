package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.store.Pause;
import java.util.concurrent.locks.LockSupport;

/**
 * The current thread, which runs the {@link Steps} of an acquisition and parks between them.
 *
 * <p><b>No wake-up is lost.</b> The permit of {@link LockSupport} alone is not sufficient: listeners run between an unsuccessful
 * check and the pause, and a listener that blocks consumes the permit. So a wake-up is recorded here. The mark is cleared before
 * each step and read after it. A wake-up before the read makes the thread step again instead of pausing; one after the read
 * leaves its permit to the pause, because nothing else runs in between.
 */
final class WaitingThread implements Runnable {

    private final Thread thread = Thread.currentThread();
    private volatile boolean woken;

    /** Wakes it. */
    @Override
    public void run() {
        woken = true;
        LockSupport.unpark(thread);
    }

    /**
     * Acquires on this thread. Must be called by this thread itself.
     *
     * @param steps the acquisition
     * @param pause how time passes
     * @param interruptible whether an interrupt ends the wait; if not, or if it comes too late, it is kept
     */
    AcquireResult acquire(Steps steps, Pause pause, boolean interruptible) throws InterruptedException {
        boolean interrupted = false;
        try {
            while (true) {
                woken = false;
                long left = steps.proceed();
                if (left == 0) {
                    return steps.result();
                }
                if (!woken) {
                    interrupted |= pause(steps, pause, left, interruptible);
                }
            }
        } finally {
            if (interrupted) {
                thread.interrupt();
            }
        }
    }

    private boolean pause(Steps steps, Pause pause, long nanos, boolean interruptible) throws InterruptedException {
        try {
            return pause.pause(nanos, interruptible);
        } catch (InterruptedException e) {
            steps.interrupt(e);
            thread.interrupt();
            return false;
        } catch (RuntimeException | Error e) {
            steps.abandon(e);
            throw e;
        }
    }
}
