package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs while a lock is held, receives that lock, and returns a result. It extends {@link LockedConsumer}, so a
 * lambda that matches both is treated as a function.
 *
 * @param <T> the result
 * @param <E> the exception it may throw, which is passed on unchanged
 */
@FunctionalInterface
public interface LockedFunction<T extends @Nullable Object, E extends Throwable> extends LockedConsumer<E> {

    /**
     * {@return the result}
     *
     * @param lock the lock, for its fencing token, or to check that it is still held. It is released when the work ends; do not
     *     close it
     * @throws E whatever the work throws
     */
    T apply(LockHandle lock) throws E;

    @Override
    default void accept(LockHandle lock) throws E {
        apply(lock);
    }
}
