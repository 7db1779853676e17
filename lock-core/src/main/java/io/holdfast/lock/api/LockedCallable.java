package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs while a lock is held and yields a result.
 *
 * @param <T> the result
 * @param <E> what it may throw; it passes through untouched
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
