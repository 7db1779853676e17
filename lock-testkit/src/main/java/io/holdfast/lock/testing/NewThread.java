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
}
