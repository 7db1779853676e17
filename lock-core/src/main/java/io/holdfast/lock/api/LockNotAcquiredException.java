package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lock was not acquired in time because somebody else holds it. This is contention, not a failure of Redis: it makes sense to
 * try again later.
 */
public final class LockNotAcquiredException extends LockException {

    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final Duration waited;
    private final transient @Nullable LockHolder holder;

    /**
     * Creates an instance.
     *
     * @param caller the calling method, for the message, or null
     * @param key the lock
     * @param waited how long the caller waited
     * @param holder who held it when last checked, or null if unknown
     */
    public LockNotAcquiredException(
            @Nullable String caller, LockKey key, Duration waited, @Nullable LockHolder holder) {
        super(message(caller, key, waited, holder), null);
        this.key = key;
        this.waited = waited;
        this.holder = holder;
    }

    private static String message(@Nullable String caller, LockKey key, Duration waited, @Nullable LockHolder holder) {
        return "Lock '" + key + "' was not acquired within " + waited.toMillis() + " ms"
                + (caller == null ? "" : " for " + caller)
                + (holder == null ? "." : "; held by " + holder.describe() + ".");
    }

    /** {@return the lock} */
    public LockKey key() {
        return key;
    }

    /** {@return how long the caller waited} */
    public Duration waited() {
        return waited;
    }

    /** {@return who held it when last checked, if known} */
    public Optional<LockHolder> holder() {
        return Optional.ofNullable(holder);
    }
}
