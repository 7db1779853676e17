package io.holdfast.lock.spring;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.spring.annotation.DistributedLock;

/**
 * Detects calls that bypass the proxy and therefore run without their lock: {@code this.pay(order)} in the same class, or an
 * object created with {@code new}.
 *
 * <pre>{@code
 * @DistributedLock(name = "order", key = "#id")
 * public void pay(long id) {
 *     LockAssert.assertLocked();
 *     …
 * }
 * }</pre>
 *
 * <p>It is cheap enough for production code. It detects only the locks of annotated methods, not those acquired with a {@link
 * io.holdfast.lock.api.LockTemplate}. A method whose {@link DistributedLock#condition()} is false is not locked.
 */
public final class LockAssert {

    private static final String ADVICE =
            " The call may have bypassed the proxy, because it was made on 'this' or on an object that Spring did not"
                    + " create: call the method on the injected bean, move it to another bean, or use LockTemplate"
                    + " inside it. Or the condition of the annotation evaluated to false, so the method is running"
                    + " without a lock. In a test without Spring, call"
                    + " LockAssert.TestHelper.makeAllAssertsPass(true).";

    private static final ThreadLocal<Boolean> ALWAYS_PASSES = ThreadLocal.withInitial(() -> false);

    private LockAssert() {}

    /**
     * Throws an exception unless an annotated method, called through its proxy, is running on this thread.
     *
     * @throws IllegalStateException if there is none; an outer locked method counts as well; see {@link #assertLocked(String)}
     */
    public static void assertLocked() {
        if (LockContext.current().isEmpty() && !ALWAYS_PASSES.get()) {
            throw new IllegalStateException("No locked method is running on this thread." + ADVICE);
        }
    }

    /**
     * Throws an exception unless an annotated method that locks this key is running on this thread. Also detects calls on {@code
     * this} from a method with another lock.
     *
     * @param key the full key, including the name: {@code "order:42"}
     * @throws IllegalStateException if no annotated method on this thread locks it
     */
    public static void assertLocked(String key) {
        if (!LockContext.holds(LockKey.of(key)) && !ALWAYS_PASSES.get()) {
            throw new IllegalStateException("No method on this thread has locked '" + LockKey.of(key) + "'." + ADVICE);
        }
    }

    /** For tests that call methods directly. */
    public static final class TestHelper {

        private TestHelper() {}

        /**
         * Makes all assertions on the current thread pass, or restores normal checks. Restore them at the end of the test,
         * because threads are reused.
         *
         * @param pass true to make all assertions pass; false to restore normal checks
         */
        public static void makeAllAssertsPass(boolean pass) {
            ALWAYS_PASSES.set(pass);
        }
    }
}
