package io.holdfast.lock.engine.hold;

import org.jspecify.annotations.Nullable;

/**
 * The interrupt of a thread whose lock is lost.
 *
 * <p>Loss and end hold the same monitor. If the loss comes first, the thread is interrupted while its hold has not ended, and the
 * end clears the flag. If the end comes first, there is no thread left to interrupt. So no thread is interrupted after its hold
 * has ended, for example during its next task in a pool; and a thread that was interrupted has lost the lock before, and learns
 * of it when it closes its handle.
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
