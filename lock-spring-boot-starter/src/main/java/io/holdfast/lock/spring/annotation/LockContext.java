package io.holdfast.lock.spring.annotation;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lock of the annotated method that runs on the current thread: for its fencing token, or to ask whether it is still
 * held.
 *
 * <pre>{@code
 * @DistributedLock(key = "#id")
 * public void reserve(long id) {
 *     LockHandle lock = LockContext.current().orElseThrow();
 *     repository.reserve(id, lock.fencingToken());
 * }
 * }</pre>
 *
 * <p>It belongs to the thread that runs the method: threads and stages that the method starts do not see it. Hand them
 * the handle.
 */
public final class LockContext {

    private static final ThreadLocal<@Nullable Scope> INNERMOST = new ThreadLocal<>();

    private LockContext() {}

    /** {@return the lock of the innermost annotated method that runs on this thread; it is given back when that method ends} */
    public static Optional<LockHandle> current() {
        Scope innermost = INNERMOST.get();
        return innermost == null ? Optional.empty() : Optional.of(innermost.handle);
    }

    static boolean holds(LockKey key) {
        for (Scope each = INNERMOST.get(); each != null; each = each.outer) {
            if (each.handle.keys().contains(key)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Makes a handle the current one, as around an annotated method. For what stands in the place of the annotation: a test
     * that calls the method without Spring, or an interceptor of one's own.
     *
     * <pre>{@code
     * try (LockHandle lock = template.acquire("order:42"); LockContext.Scope scope = LockContext.open(lock)) {
     *     orders.pay(order);
     * }
     * }</pre>
     *
     * @param handle the lock; it is not closed here
     * @return to be closed by the same thread
     */
    public static Scope open(LockHandle handle) {
        Scope scope = new Scope(handle, INNERMOST.get());
        INNERMOST.set(scope);
        return scope;
    }

    /** A part of a thread's work during which a handle is the current one. */
    public static final class Scope implements AutoCloseable {

        private final LockHandle handle;
        private final @Nullable Scope outer;

        private Scope(LockHandle handle, @Nullable Scope outer) {
            this.handle = handle;
            this.outer = outer;
        }

        /**
         * Ends the scope, and those inside of it that were left open. Does nothing if it has ended, or on another thread.
         */
        @Override
        public void close() {
            for (Scope each = INNERMOST.get(); each != null; each = each.outer) {
                if (each == this) {
                    INNERMOST.set(outer);
                    return;
                }
            }
        }
    }
}
