package io.holdfast.lock.testing;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A thread of its own for each call. A pool would use one thread again, which already holds what an earlier call left
 * locked, and whether it does depends on the number of processors.
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
