package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of {@code tryExecute}: either the work ran, or the lock was not acquired and the work did not run. There are no
 * other outcomes. The work may return null: {@link #executed()}, {@link #orElse}, {@link #orElseGet}, {@link #orElseThrow} and
 * {@link #map} distinguish null from work that did not run; {@link #toOptional()} does not.
 *
 * <pre>{@code
 * Receipt receipt = lockTemplate.tryExecute("order:" + id, () -> pay(id)).orElseThrow(() -> new OrderBusyException(id));
 * }</pre>
 *
 * @param <T> the work's result
 */
public sealed interface LockResult<T extends @Nullable Object> {

    /** {@return whether the work ran} */
    default boolean executed() {
        return this instanceof Executed;
    }

    /**
     * {@return the work's result, or that of the fallback}
     *
     * @param fallback supplies the result if the work did not run
     */
    default T orElseGet(Supplier<? extends T> fallback) {
        return this instanceof Executed<T> executed ? executed.value : fallback.get();
    }

    /**
     * {@return the work's result, which may be null, or the other value}
     *
     * @param other returned if the work did not run
     */
    default T orElse(T other) {
        return orElseGet(() -> other);
    }

    /**
     * {@return the work's result, which may be null}
     *
     * @throws LockNotAcquiredException if the work did not run
     */
    default T orElseThrow() {
        if (this instanceof NotAcquired<T> refused) {
            throw new LockNotAcquiredException(
                    null, refused.key, refused.waitedFor, refused.holder.orElse(null), refused.blockage);
        }
        return ((Executed<T>) this).value;
    }

    /**
     * {@return the work's result, which may be null}
     *
     * @param exception supplies the exception to throw if the work did not run
     * @param <X> the exception
     * @throws X if the work did not run
     */
    default <X extends Throwable> T orElseThrow(Supplier<? extends X> exception) throws X {
        if (this instanceof Executed<T> executed) {
            return executed.value;
        }
        throw exception.get();
    }

    /**
     * Maps the result of work that ran. Has no effect if the work did not run.
     *
     * @param mapping called once by this method if the work ran; its argument is null if the work returned null, and it may
     *     return null
     * @param <U> the new result
     * @return the outcome with the new result
     */
    @SuppressWarnings("unchecked") // a refusal has no result
    default <U extends @Nullable Object> LockResult<U> map(Function<? super T, ? extends U> mapping) {
        return this instanceof Executed<T> executed
                ? new Executed<>(mapping.apply(executed.value))
                : (LockResult<U>) this;
    }

    /** {@return the work's result; empty if it was null, or if the work did not run} */
    default Optional<@NonNull T> toOptional() {
        return this instanceof Executed<T> executed ? Optional.ofNullable(executed.value) : Optional.empty();
    }

    /**
     * The work completed under the lock.
     *
     * @param value what it returned
     * @param <T> the work's result
     */
    record Executed<T extends @Nullable Object>(T value) implements LockResult<T> {}

    /**
     * The lock was not acquired in time, and the work did not run.
     *
     * @param key the lock
     * @param waitedFor how long the caller waited; zero if it was not willing to wait
     * @param holder the holder when last checked, if known
     * @param blockage why it was not free, if known
     * @param <T> the work's result
     */
    record NotAcquired<T extends @Nullable Object>(
            LockKey key, Duration waitedFor, Optional<LockHolder> holder, Blockage blockage) implements LockResult<T> {}
}
