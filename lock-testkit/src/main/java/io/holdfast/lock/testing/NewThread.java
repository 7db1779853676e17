package io.holdfast.lock.testing;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Runs each call on a new thread. A pool may reuse a thread, which then still holds what an earlier call left locked; whether it
 * does so depends on the number of processors.
 */
public final class NewThread {

    private NewThread() {}

    public static <T> CompletableFuture<T> start(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, run -> new Thread(run).start());
    }

    public static <T> T call(Supplier<T> work) {
        return start(work).join();
    }

    /** Waits until a thread waits for a limited time, or has ended, and returns that state. */
    public static Thread.State stateAtRest(Thread thread) {
        Thread.State state = thread.getState();
        while (state != Thread.State.TIMED_WAITING && state != Thread.State.TERMINATED) {
            Thread.onSpinWait();
            state = thread.getState();
        }
        return state;
    }
}
