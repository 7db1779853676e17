package io.holdfast.lock.spring.annotation;

import io.holdfast.lock.api.LockKey;

/**
 * Finds calls that pass by the proxy, and so run without their lock: {@code this.pay(order)} in the same class, an object
 * made with {@code new}.
 *
 * <pre>{@code
 * @DistributedLock(name = "order", key = "#id")
 * public void pay(long id) {
 *     LockAssert.assertLocked();
 *     …
 * }
 * }</pre>
 *
 * <p>It costs next to nothing, so it may stay in production code. It knows annotated methods only, not the work of a
 * {@link io.holdfast.lock.api.LockTemplate}, and a method whose {@link DistributedLock#condition()} is false is not locked.
 */
public final class LockAssert {

    private static final String ADVICE =
            " The method was called without going through its proxy: on this, or on an object that Spring did not"
                    + " create. Call it on the injected bean, move it to another bean, or lock inside"
                    + " with LockTemplate. Or its condition was false, so it runs without a lock. In a test without Spring, call LockAssert.TestHelper.makeAllAssertsPass(true).";

    private static final ThreadLocal<Boolean> ALWAYS_PASSES = ThreadLocal.withInitial(() -> false);

    private LockAssert() {}

    /**
     * Goes on only inside an annotated method that was called through its proxy, on the thread that runs it.
     *
     * @throws IllegalStateException if there is none on this thread; a locked method further out counts too, see
     *     {@link #assertLocked(String)}
     */
    public static void assertLocked() {
        if (LockContext.current().isEmpty() && !ALWAYS_PASSES.get()) {
            throw new IllegalStateException("This thread runs no locked method." + ADVICE);
        }
    }

    /**
     * Goes on only inside an annotated method that locks this key. Also finds the call on {@code this} from another locked
     * method, whose lock is another one.
     *
     * @param key in full, with the name: {@code "order:42"}
     * @throws IllegalStateException if no annotated method on this thread locks it
     */
    public static void assertLocked(String key) {
        if (!LockContext.holds(LockKey.of(key)) && !ALWAYS_PASSES.get()) {
            throw new IllegalStateException(
                    "No method on this thread has locked '" + LockKey.of(key) + "'." + ADVICE);
        }
    }

    /** For tests that call methods directly. */
    public static final class TestHelper {

        private TestHelper() {}

        /**
         * Has all assertions on the current thread pass, or work again. To be undone at the end of the test, since threads
         * are used for more than one.
         *
         * @param pass true if they are to pass
         */
        public static void makeAllAssertsPass(boolean pass) {
            if (pass) {
                ALWAYS_PASSES.set(true);
            } else {
                ALWAYS_PASSES.remove();
            }
        }
    }
}
