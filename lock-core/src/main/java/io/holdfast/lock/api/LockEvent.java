package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Something that happened to locks of this client: to one ({@link OfLock}), or to several at once. */
public sealed interface LockEvent {

    /** What happened to one lock. */
    sealed interface OfLock extends LockEvent {

        /** {@return the lock} */
        LockKey key();
    }

    /**
     * A lock was granted by the store. A reentrant acquisition is no event.
     *
     * @param key the lock
     * @param name what its use is called, see {@link LockRequest#name()}; empty for none
     * @param fencingToken the token of the grant
     * @param waited how long the caller waited
     * @param handedOff whether another thread of this client passed the lock on, without asking the store
     */
    record Acquired(LockKey key, String name, long fencingToken, Duration waited, boolean handedOff)
            implements OfLock {}

    /**
     * A lock was not free at once, and a caller begins to wait for it. {@code Acquired}, {@code NotAcquired} or
     * {@code Failed} follows.
     *
     * @param key the lock
     * @param name what its use is called, see {@link LockRequest#name()}; empty for none
     */
    record Waiting(LockKey key, String name) implements OfLock {}

    /**
     * A lock was not free in time.
     *
     * @param key the lock
     * @param name what its use is called, see {@link LockRequest#name()}; empty for none
     * @param waited how long the caller waited
     * @param holder who held it at the last look, if known
     */
    record NotAcquired(LockKey key, String name, Duration waited, Optional<LockHolder> holder) implements OfLock {}

    /**
     * An attempt to get a lock ended with an exception: the store failed, the caller was interrupted, or the client closed.
     *
     * @param key the lock
     * @param name what its use is called, see {@link LockRequest#name()}; empty for none
     * @param waited how long the caller waited
     * @param failure what it is; an interrupt is an {@link InterruptedException}
     */
    record Failed(LockKey key, String name, Duration waited, Throwable failure) implements OfLock {}

    /**
     * A lock was given back by its last handle.
     *
     * @param key the lock
     * @param name what its use is called, see {@link LockRequest#name()}; empty for none
     * @param fencingToken the token of the grant
     * @param held how long it was held
     */
    record Released(LockKey key, String name, long fencingToken, Duration held) implements OfLock {}

    /**
     * A renewal call went through.
     *
     * @param locks how many locks it renewed
     * @param took how long the call took
     */
    record Renewed(int locks, Duration took) implements LockEvent {}

    /**
     * A renewal call failed. The locks are still held; it is tried again until their leases end.
     *
     * @param keys the locks of that call
     * @param failure why
     */
    record RenewalFailed(List<LockKey> keys, Throwable failure) implements LockEvent {}

    /**
     * A lock has been held for longer than the warning threshold. It goes on being held.
     *
     * @param key the lock
     * @param name what its use is called, see {@link LockRequest#name()}; empty for none
     * @param fencingToken the token of the grant
     * @param held how long it has been held
     */
    record LongHeld(LockKey key, String name, long fencingToken, Duration held) implements OfLock {}

    /**
     * A held lock was lost.
     *
     * @param key the lock
     * @param name what its use is called, see {@link LockRequest#name()}; empty for none
     * @param fencingToken the token of the lost grant
     * @param held how long it was held
     * @param cause why
     * @param failure the last failed renewal, if one led to this
     */
    record Lost(
            LockKey key,
            String name,
            long fencingToken,
            Duration held,
            LossCause cause,
            @Nullable Throwable failure) implements OfLock {}

    /**
     * A lock was taken away from its holder by force, through this client.
     *
     * @param key the lock
     * @param holder who held it
     */
    record ForceReleased(LockKey key, LockHolder holder) implements OfLock {}
}
