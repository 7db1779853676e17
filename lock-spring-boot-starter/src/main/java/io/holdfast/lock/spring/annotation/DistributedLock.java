package io.holdfast.lock.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

/**
 * Runs the method under a distributed lock: at most one caller of all instances at a time for each key.
 *
 * <pre>{@code
 * @DistributedLock(key = "#order.id", lease = 10)
 * public Receipt pay(Order order) { … }
 * }</pre>
 *
 * <p>The lock is acquired before a transaction of the same method begins and released after it ends. It is renewed while
 * the method runs, also when a lease is given, unless {@code renew} or {@code lock.renew} is false. A thread that holds
 * the key already enters again without asking Redis.
 *
 * <p>A method that returns a {@link java.util.concurrent.CompletionStage} or
 * {@link java.util.concurrent.CompletableFuture} waits for the lock on the caller's thread, and holds it until the stage
 * is complete. The caller's stage completes after the lock was released; if the lock was lost, it completes with
 * {@link io.holdfast.lock.api.LockLostException}. Other futures, reactive types and Kotlin {@code suspend} functions are
 * not supported and fail startup.
 *
 * <p>On a class, the annotation means all its public methods; one on a method takes its place. It may be a part of
 * another annotation.
 *
 * <p>The method is called through a Spring proxy, so a call of an annotated method of the same object is not locked.
 * Methods that no proxy can lock (private, static, final) fail startup.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLock {

    /**
     * The name of this definition and, if given, the first part of the key: {@code name = "order", key = "#order.id"}
     * locks {@code order:42}.
     *
     * @return the name; without one the key stands alone
     */
    String name() default "";

    /**
     * What to lock, as a SpEL expression: parameters by name ({@code #order.id}) or position ({@code #p0}, {@code #a0}),
     * {@code #root.methodName}, {@code #root.target}, {@code #root.args}, beans ({@code @naming.keyOf(#order)}), or a
     * literal ({@code 'nightly'}). Evaluated once for each call.
     *
     * @return the expression, which yields one value; may be left out if there is a name, which is then the key
     */
    String key() default "";

    /**
     * How long the lock survives without renewal, in {@link #timeUnit()}; at least 100 ms.
     *
     * @return the lease; the client's default ({@code lock.lease}) if not given
     */
    long lease() default -1;

    /**
     * How long to wait for the lock, in {@link #timeUnit()}; 0 is one try.
     *
     * @return the limit; the client's default ({@code lock.wait-for}) if not given
     */
    long waitFor() default -1;

    /** {@return the unit of {@link #lease()} and {@link #waitFor()}} */
    TimeUnit timeUnit() default TimeUnit.SECONDS;

    /**
     * The lease as text: {@code "10s"}, {@code "PT10S"}, or a placeholder {@code "${app.lock.lease}"}. A bare number
     * counts in {@link #timeUnit()}. Not together with {@link #lease()}.
     *
     * @return the lease; the client's default if empty, also after placeholders were replaced
     */
    String leaseString() default "";

    /**
     * The waiting limit as text, see {@link #leaseString()}. Not together with {@link #waitFor()}.
     *
     * @return the limit; the client's default if empty, also after placeholders were replaced
     */
    String waitForString() default "";

    /**
     * {@return false makes the lease a fixed time limit; true leaves it to the client's default ({@code lock.renew})}
     */
    boolean renew() default true;

    /** {@return what to do when the lock is not free in time} */
    OnContention onContention() default OnContention.THROW;
}
