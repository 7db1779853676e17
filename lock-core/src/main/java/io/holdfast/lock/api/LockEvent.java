package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to locks of this client: to one ({@link OfLock}), or to several at once.
 *
 * <p>Later versions may add kinds of events and record components: ignore events you do not know, and call accessors instead of
 * using record patterns. Existing constructors will remain.
 */
public interface LockEvent {

    /** An event that concerns a single lock. */
    interface OfLock extends LockEvent {

        /** {@return the lock} */
        LockKey key();
    }

    /**
     * A lock was granted by the store. Reentrant acquisitions are not reported.
     *
     * @param key the lock
     * @param name the name of the request; see {@link LockRequest#name()}; empty if it has none
     * @param fencingToken the token of the grant
     * @param waitedFor how long the caller waited
     * @param handoff whether another thread of this client handed the lock over, without a call to the store
     * @param blockedBy the last known holder for which the caller had to wait, if it had to
     * @param placeInLine see {@link NotAcquired#placeInLine}
     */
    record Acquired(
            LockKey key,
            String name,
            long fencingToken,
            Duration waitedFor,
            boolean handoff,
            Optional<LockHolder> blockedBy,
            int placeInLine)
            implements OfLock {}

    /**
     * A lock was not free, and a caller started to wait for it. {@code Acquired}, {@code NotAcquired} or
     * {@code Failed} follows.
     *
     * @param key the lock
     * @param name the name of the request; see {@link LockRequest#name()}; empty if it has none
     */
    record Waiting(LockKey key, String name) implements OfLock {}

    /**
     * A lock was not acquired in time.
     *
     * @param key the lock
     * @param name the name of the request; see {@link LockRequest#name()}; empty if it has none
     * @param waitedFor how long the caller waited
     * @param holder who held it when last checked, if known
     * @param placeInLine its place in line when it began to wait, 1 for the first: behind callers of its own client, and behind the
     *     entries in the queue at the store of which its client knows, where another client may have one entry for many callers; 0 if
     *     it did not wait, or if that is unknown
     */
    record NotAcquired(LockKey key, String name, Duration waitedFor, Optional<LockHolder> holder, int placeInLine)
            implements OfLock {}

    /**
     * An attempt to acquire a lock ended with an exception: the store failed, the caller was interrupted, or the client closed.
     *
     * @param key the lock
     * @param name the name of the request; see {@link LockRequest#name()}; empty if it has none
     * @param waitedFor how long the caller waited
     * @param failure the exception; {@link InterruptedException} for an interrupt
     */
    record Failed(LockKey key, String name, Duration waitedFor, Throwable failure) implements OfLock {}

    /**
     * A lock was released by its last handle.
     *
     * @param key the lock
     * @param name the name of the request; see {@link LockRequest#name()}; empty if it has none
     * @param fencingToken the token of the grant
     * @param heldFor how long it was held
     */
    record Released(LockKey key, String name, long fencingToken, Duration heldFor) implements OfLock {}

    /**
     * A renewal call succeeded.
     *
     * @param locks the number of locks it renewed
     * @param took how long the call took
     */
    record Renewed(int locks, Duration took) implements LockEvent {}

    /**
     * A renewal call failed. The locks are still held; the call is retried until their leases expire.
     *
     * @param keys the locks in the call
     * @param failure the reason
     */
    record RenewalFailed(List<LockKey> keys, Throwable failure) implements LockEvent {}

    /**
     * A lock has been held for longer than the warning threshold, and is still held.
     *
     * @param key the lock
     * @param name the name of the request; see {@link LockRequest#name()}; empty if it has none
     * @param fencingToken the token of the grant
     * @param heldFor how long it has been held
     */
    record LongHeld(LockKey key, String name, long fencingToken, Duration heldFor) implements OfLock {}

    /**
     * A held lock was lost.
     *
     * @param key the lock
     * @param name the name of the request; see {@link LockRequest#name()}; empty if it has none
     * @param fencingToken the token of the lost grant
     * @param heldFor how long it was held
     * @param cause the reason
     * @param failure the last failed renewal, if one caused the loss
     */
    record Lost(
            LockKey key,
            String name,
            long fencingToken,
            Duration heldFor,
            LossCause cause,
            @Nullable Throwable failure) implements OfLock {}

    /**
     * A lock was released by force, through this client.
     *
     * @param key the lock
     * @param holder who held it
     */
    record ForceReleased(LockKey key, LockHolder holder) implements OfLock {}
}
