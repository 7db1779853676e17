package io.holdfast.lock.api;

/**
 * Work that runs while a lock is held and is given that lock.
 *
 * <p>A lambda of a single expression that yields nothing needs braces, since the compiler takes it for a
 * {@link LockedFunction} otherwise: {@code lock -> { lock.ensureHeld(); }}.
 *
 * @param <E> what it may throw; it passes through untouched
 */
@FunctionalInterface
public interface LockedConsumer<E extends Throwable> {

    /**
     * Does the work.
     *
     * @param lock the lock, for its fencing token, or to ask whether it is still held. It is given back when the work ends,
     *     not here
     * @throws E whatever the work throws
     */
    void accept(LockHandle lock) throws E;
}
