package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lock was not acquired in time because somebody else holds it. This is contention, not a failure of Redis: trying again
 * later makes sense.
 */
public final class LockNotAcquiredException extends LockException {

    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final Duration waitedFor;
    private final transient @Nullable LockHolder holder;
    private final transient @Nullable Blockage blockage;

    /**
     * Creates an instance.
     *
     * @param caller the calling method, for the message, or null
     * @param key the lock
     * @param waitedFor how long the caller waited; zero if it was not willing to wait
     * @param holder the holder when last checked, or null if unknown
     * @param blockage why the lock was not free; {@link Blockage#UNKNOWN} if unknown
     */
    public LockNotAcquiredException(
            @Nullable String caller, LockKey key, Duration waitedFor, @Nullable LockHolder holder, Blockage blockage) {
        super(message(caller, key, waitedFor, holder) + blockage.describe(), null);
        this.key = key;
        this.waitedFor = waitedFor;
        this.holder = holder;
        this.blockage = blockage;
    }

    private static String message(
            @Nullable String caller, LockKey key, Duration waitedFor, @Nullable LockHolder holder) {
        String forCaller = caller == null ? "" : " for " + caller;
        if (waitedFor.isZero()) {
            return "Lock '" + key + "' was not acquired" + forCaller + ": it is "
                    + (holder == null ? "not free" : holder.state()) + ".";
        }
        return "Lock '" + key + "' was not acquired within " + DurationText.of(waitedFor) + forCaller
                + (holder == null ? "" : "; " + holder.state()) + ".";
    }

    /** {@return the lock} */
    public LockKey key() {
        return key;
    }

    /** {@return how long the caller waited; zero if it was not willing to wait} */
    public Duration waitedFor() {
        return waitedFor;
    }

    /** {@return the holder when last checked, if known} */
    public Optional<LockHolder> holder() {
        return Optional.ofNullable(holder);
    }

    /** {@return why the lock was not free, if known; after a single try this is always unknown} */
    public Blockage blockage() {
        return blockage == null ? Blockage.UNKNOWN : blockage;
    }

    /** {@return what the holder of the lock was itself waiting for, if anything} */
    public Optional<NestedWait> holderWaitsFor() {
        return blockage().holderWaitsFor();
    }

    /**
     * {@return the deadlock that prevented the acquisition, if there was one that had lasted for about a second} Either the
     * caller or the holder of the lock was part of it.
     */
    public Optional<Deadlock> deadlock() {
        return blockage().deadlock();
    }
}
