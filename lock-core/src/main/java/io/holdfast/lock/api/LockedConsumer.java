package io.holdfast.lock.api;

/**
 * Work that runs while a lock is held and receives that lock.
 *
 * <p>A lambda that is a single expression without a result needs braces, because the compiler would otherwise treat it as a
 * {@link LockedFunction}: {@code lock -> { lock.ensureHeld(); }}.
 *
 * @param <E> the exception it may throw, which is passed on unchanged
 */
@FunctionalInterface
public interface LockedConsumer<E extends Throwable> {

    /**
     * Does the work.
     *
     * @param lock the lock, for its fencing token, or to check that it is still held. It is released when the work ends; do not
     *     close it
     * @throws E whatever the work throws
     */
    void accept(LockHandle lock) throws E;
}
