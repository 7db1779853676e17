package io.holdfast.lock.api;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs while a lock is held, is given that lock, and yields a result. A {@link LockedConsumer} too, so that a lambda
 * that would do for both is this.
 *
 * @param <T> the result
 * @param <E> what it may throw; it passes through untouched
 */
@FunctionalInterface
public interface LockedFunction<T extends @Nullable Object, E extends Throwable> extends LockedConsumer<E> {

    /**
     * {@return the result}
     *
     * @param lock the lock, for its fencing token, or to ask whether it is still held. It is given back when the work ends,
     *     not here
     * @throws E whatever the work throws
     */
    T apply(LockHandle lock) throws E;

    @Override
    default void accept(LockHandle lock) throws E {
        apply(lock);
    }
}
