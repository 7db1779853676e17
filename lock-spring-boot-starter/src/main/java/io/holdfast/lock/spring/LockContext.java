package io.holdfast.lock.spring;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lock of the annotated method that is running on the current thread, for its fencing token, or to check that it is still
 * held.
 *
 * <pre>{@code
 * @DistributedLock(name = "stock", key = "#id")
 * public void reserve(long id) {
 *     LockHandle lock = LockContext.current().orElseThrow();
 *     repository.reserve(id, lock.fencingToken());
 * }
 * }</pre>
 *
 * <p>It is bound to the thread that runs the method. Threads and stages started by the method do not see it; pass them the
 * handle.
 */
public final class LockContext {

    private static final ThreadLocal<@Nullable Scope> INNERMOST = new ThreadLocal<>();

    private LockContext() {}

    /** {@return the lock of the innermost annotated method running on this thread; it is released when that method ends} */
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
     * Makes a handle the current one, as the annotation does; for a test that calls the method without Spring, or for another
     * interceptor.
     *
     * <pre>{@code
     * try (LockHandle lock = template.acquire("order:42"); LockContext.Scope scope = LockContext.open(lock)) {
     *     orders.pay(order);
     * }
     * }</pre>
     *
     * @param handle the lock; the scope does not close it
     * @return the scope, which the same thread must close
     */
    public static Scope open(LockHandle handle) {
        Scope scope = new Scope(handle, INNERMOST.get());
        INNERMOST.set(scope);
        return scope;
    }

    /** The scope in which a handle is the current one. */
    public static final class Scope implements AutoCloseable {

        private final LockHandle handle;
        private final @Nullable Scope outer;

        private Scope(LockHandle handle, @Nullable Scope outer) {
            this.handle = handle;
            this.outer = outer;
        }

        /**
         * Ends the scope, and any scopes inside it that were left open. Has no effect if the scope has already ended, or on
         * another thread.
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
