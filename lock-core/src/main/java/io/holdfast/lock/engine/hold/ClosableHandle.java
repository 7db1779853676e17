package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockHandle;
import org.jspecify.annotations.Nullable;

/** A handle that is closed by the code that ran the work under it. */
public non-sealed interface ClosableHandle extends LockHandle, AcquireResult {

    /** It was opened by a view of the lock, and is closed by one. */
    void lockedByView();

    /** {@return whether it needs its lock exclusively} */
    boolean isExclusive();

    /** {@return whether a loss interrupts the work} */
    boolean interruptsOnLoss();

    /** Makes a loss interrupt the current thread from now on, if {@link #interruptsOnLoss}. */
    void interruptOnLoss();

    /**
     * Closes; if a lock was lost, throws that with the failure of the guarded code suppressed inside.
     *
     * @param failure what the guarded code threw, or null
     */
    void closeAfter(@Nullable Throwable failure);
}
