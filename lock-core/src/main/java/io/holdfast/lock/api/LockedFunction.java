package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs while a lock is held, is given that lock, and yields a result.
 *
 * @param <T> the result
 * @param <E> what it may throw; it passes through untouched
 */
@FunctionalInterface
public interface LockedFunction<T extends @Nullable Object, E extends Throwable> {

    /**
     * {@return the result}
     *
     * @param lock the lock, for its fencing token, or to ask whether it is still held. It is given back when the work ends,
     *     not here
     * @throws E whatever the work throws
     */
    T apply(LockHandle lock) throws E;
}
