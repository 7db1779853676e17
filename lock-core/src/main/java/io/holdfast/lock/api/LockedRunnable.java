package io.holdfast.lock.api;

/**
 * Work that runs while a lock is held.
 *
 * @param <E> the exception it may throw, which is passed on unchanged
 */
@FunctionalInterface
public interface LockedRunnable<E extends Throwable> {

    /**
     * Does the work.
     *
     * @throws E whatever the work throws
     */
    void run() throws E;
}
