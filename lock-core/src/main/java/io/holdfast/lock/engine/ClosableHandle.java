package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A handle that is closed by whoever ran the work under it. */
interface ClosableHandle extends LockHandle {

    /** {@return the handles of its keys, in the order of acquisition} */
    List<Handle> parts();

    /** {@return whether a loss is to stop the work} */
    boolean interruptsOnLoss();

    /** Has a loss interrupt the current thread from now on, if it is to stop the work. */
    void interruptOnLoss();

    /**
     * Closes; if a lock was lost, throws that with the failure of the guarded code suppressed inside.
     *
     * @param failure what the guarded code threw, or null
     */
    void closeAfter(@Nullable Throwable failure);
}
