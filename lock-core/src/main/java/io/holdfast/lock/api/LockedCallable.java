package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs while a lock is held and returns a result.
 *
 * @param <T> the result
 * @param <E> the exception it may throw, which is passed on unchanged
 */
@FunctionalInterface
public interface LockedCallable<T extends @Nullable Object, E extends Throwable> {

    /**
     * {@return the result}
     *
     * @throws E whatever the work throws
     */
    T call() throws E;
}
