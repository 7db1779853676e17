package io.holdfast.lock.engine.client;

import io.holdfast.lock.api.LockStoreException;
import java.util.function.Supplier;

/**
 * Calls the store so that an interrupt cannot break the call: some drivers abandon a reply when the thread is interrupted. The
 * interrupt is restored afterwards. A call that was broken nevertheless is repeated, which is safe for every call to the store.
 */
public final class Uninterruptibly {

    private Uninterruptibly() {}

    public static <T> T call(Supplier<T> call) {
        return call(call, () -> {});
    }

    /** Runs the action before the call is repeated: what was sent before may still arrive. */
    public static <T> T call(Supplier<T> call, Runnable onAgain) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return call.get();
                } catch (LockStoreException e) {
                    if (!Thread.interrupted()) {
                        throw e;
                    }
                    interrupted = true;
                    onAgain.run();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
