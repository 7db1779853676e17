package io.holdfast.lock.api;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What came of a {@code tryExecute}: the work ran, or the lock was not acquired and the work did not run.
 *
 * @param <T> the work's result
 */
public sealed interface LockResult<T extends @Nullable Object> {

    /** {@return whether the work ran} */
    boolean executed();

    /**
     * {@return the work's result, or the fallback's}
     *
     * @param fallback yields the result if the work did not run
     */
    T orElseGet(Supplier<? extends T> fallback);

    /**
     * The work ran to its end under the lock.
     *
     * @param value what it returned
     * @param <T> the work's result
     */
    record Executed<T extends @Nullable Object>(T value) implements LockResult<T> {
        @Override
        public boolean executed() {
            return true;
        }

        @Override
        public T orElseGet(Supplier<? extends T> fallback) {
            return value;
        }
    }

    /**
     * The lock was not free in time; the work did not run.
     *
     * @param key what was asked for
     * @param waited how long the caller waited
     * @param holder who held it at the last look, if known
     * @param <T> the work's result
     */
    record NotAcquired<T extends @Nullable Object>(LockKey key, Duration waited, Optional<LockHolder> holder)
            implements LockResult<T> {
        @Override
        public boolean executed() {
            return false;
        }

        @Override
        public T orElseGet(Supplier<? extends T> fallback) {
            return fallback.get();
        }
    }
}
