package io.holdfast.lock.engine.hold;

import org.jspecify.annotations.Nullable;

/**
 * The interrupt of a thread whose lock is lost.
 *
 * <p>Both steps hold one monitor, so either the loss comes first: then the thread is interrupted while its hold has not ended,
 * and the end, which knows of it, clears the flag. Or the end comes first: then there is no thread to interrupt any more. So
 * nobody is interrupted after its hold has ended, be it by this lock or, in a pool, during the next task; and whoever was
 * interrupted in time lost the lock earlier, and learns of it when it closes its handle.
 */
public final class LossInterrupt {

    private @Nullable Thread holder;
    private boolean interrupted;

    public LossInterrupt(Thread holder) {
        this.holder = holder;
    }

    /** The lock is lost. */
    public synchronized void lost() {
        Thread thread = holder;
        if (thread != null && !interrupted) {
            interrupted = true;
            thread.interrupt();
        }
    }

    /** The handle was closed, or has left its thread. Only a thread itself can clear its flag. */
    public synchronized void end() {
        boolean own = holder == Thread.currentThread();
        holder = null;
        if (own && interrupted) {
            Thread.interrupted();
        }
    }
}
