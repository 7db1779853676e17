package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.store.Pause;
import java.util.concurrent.locks.LockSupport;

/**
 * The current thread, which goes through the {@link Steps} of an acquisition and parks between them.
 *
 * <p><b>No wake-up is lost.</b> A permit of {@link LockSupport} alone would not do: listeners run between a look that found
 * nothing and the pause, and if one of them blocks, it uses the permit up. So a wake-up is remembered here. The mark is
 * cleared before each step and read after it. A wake-up before the read makes the thread step again instead of pausing; one after the
 * read leaves its permit to the pause, which nothing else runs before.
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
     * Has the thread acquire. To be called by this very thread.
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
