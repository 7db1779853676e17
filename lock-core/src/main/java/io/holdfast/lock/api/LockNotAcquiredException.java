package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lock was not free within the time the caller was ready to wait. Contention, not an error of Redis: trying again
 * later makes sense.
 */
public final class LockNotAcquiredException extends LockException {

    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final Duration waited;
    private final transient @Nullable LockHolder holder;

    /**
     * Creates an instance.
     *
     * @param caller who asked, for the message: a method, or null
     * @param key what was asked for
     * @param waited how long the caller waited
     * @param holder who held it at the last look, or null if that is not known
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

    /** {@return what was asked for} */
    public LockKey key() {
        return key;
    }

    /** {@return how long the caller waited} */
    public Duration waited() {
        return waited;
    }

    /** {@return who held it at the last look, if known} */
    public Optional<LockHolder> holder() {
        return Optional.ofNullable(holder);
    }
}
