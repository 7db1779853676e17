package io.holdfast.lock.spring.autoconfigure;

import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;

/**
 * Has no copy of this process go on with locks of before: for CRaC, and whatever speaks its API, as SnapStart does.
 *
 * <p>Spring stops and starts its own parts around a checkpoint. Locks are suspended before that, since resources are told in the
 * reverse of the order in which they registered, and Spring's lifecycle does so when its context is made. They come back
 * when Spring starts {@link LockShutdown} again, before its executors and its web server, or at the latest here.
 */
final class LockCheckpoint implements Resource {

    private final LockShutdown locks;

    /** Registers; the context that keeps this object alive is the only one to do so. */
    LockCheckpoint(LockShutdown locks) {
        this.locks = locks;
        Core.getGlobalContext().register(this);
    }

    @Override
    public void beforeCheckpoint(Context<? extends Resource> context) throws InterruptedException {
        locks.suspend();
    }

    @Override
    public void afterRestore(Context<? extends Resource> context) {
        locks.resume();
    }
}
