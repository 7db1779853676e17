package io.holdfast.lock.engine.client;

import java.util.List;
import java.util.function.Consumer;

/**
 * Several steps that must all be done, whatever one of them throws: gives back one lock after another, or ends one part after another.
 */
public final class Each {

    private Each() {}

    /** Does all steps, in order. */
    public static void run(Runnable... steps) {
        run(List.of(steps), Runnable::run);
    }

    /** Does something with each element, in order. Then it throws the first failure, with the others suppressed inside. */
    public static <T> void run(Iterable<T> all, Consumer<? super T> action) {
        Throwable first = null;
        for (T each : all) {
            try {
                action.accept(each);
            } catch (RuntimeException | Error e) {
                if (first == null) {
                    first = e;
                } else if (first != e) {
                    first.addSuppressed(e);
                }
            }
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof RuntimeException failure) {
            throw failure;
        }
    }
}
