package io.holdfast.lock.api;

/**
 * Work that runs while a lock is held.
 *
 * @param <E> what it may throw; it passes through untouched
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
