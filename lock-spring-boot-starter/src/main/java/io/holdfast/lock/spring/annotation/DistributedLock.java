package io.holdfast.lock.spring.annotation;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.spring.LockAssert;
import io.holdfast.lock.spring.LockRequestCustomizer;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

/**
 * Runs the method under a distributed lock: for each key, one caller at a time across all instances.
 *
 * <pre>{@code
 * @DistributedLock(name = "order", key = "#order.id", lease = 10)
 * public Receipt pay(Order order) { … }
 * }</pre>
 *
 * <p>The lock is acquired before a transaction of the same method begins, and released after the transaction has completed.
 * The lease is renewed while the method runs, even if a lease is given, unless {@code renew} is false. A thread that already holds the key reenters the lock without a call to Redis.
 *
 * <p>A method that returns a stage, a future or a publisher (a Reactor type, or one that Reactor can adapt) holds its lock until the result
 * has completed, failed or been cancelled; the caller sees the completion after the release. If the lock is lost, the result
 * fails with {@link io.holdfast.lock.api.LockLostException}. For a publisher the lock is acquired on each subscription,
 * without blocking an event loop. A Kotlin {@code suspend} function needs {@code lock-kotlin}, and is locked until its
 * coroutine has ended.
 *
 * <p>On a class, the annotation applies to all public methods except the {@link #fallbackMethod()}; an annotation on a method
 * overrides it. It may be used as a meta-annotation, with attributes aliased by {@link
 * org.springframework.core.annotation.AliasFor}.
 *
 * <p>Repeated annotations on a method or class request several locks, all or none, each with its own mode:
 *
 * <pre>{@code
 * @DistributedReadLock(name = "price-list")
 * @DistributedLock(name = "order", key = "#order.id", waitFor = 2)
 * public Receipt pay(Order order) { … }
 * }</pre>
 *
 * <p>Each annotation has its own name, key or keys, mode, limit and fairness. All other attributes apply to the call, so only
 * one of the annotations may set them; settings and metrics use the name of that annotation, or of the first one if none sets
 * any.
 *
 * <p>An unset attribute takes its value from {@code holdfast.locks.<name>.*}, where {@code <name>} is the {@link #name()},
 * or else from {@code holdfast.*}. Beans of type {@link LockRequestCustomizer} are applied last. Placeholders {@code ${…}} are
 * resolved at startup in all text attributes.
 *
 * <p>The lock is applied by a Spring proxy, so a call from another method of the same object is not locked; {@link
 * LockAssert} detects such calls. Methods that a proxy cannot intercept (private, static, final) cause startup to fail.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

    /** Represents an unset time, for attributes of annotations that are meta-annotated with this one. */
    long UNSPECIFIED = Long.MIN_VALUE;

    /** A {@link #waitFor()} without limit; in effect, 365 days. */
    long FOREVER = Long.MAX_VALUE;

    /**
     * The name of this definition and, if given, the first part of the key: {@code name = "order", key = "#order.id"} locks
     * {@code order:42}. Without it, order 42 and customer 42 are one lock. Settings in {@code holdfast.locks.<name>} and metrics use it; without a name they use the class and
     * method: {@code Orders.pay}.
     *
     * @return the name, without colons, control characters, or whitespace at its ends; if empty, the key has no prefix
     */
    String name() default "";

    /**
     * What to lock, as a SpEL expression: parameters by name ({@code #order.id}) or position ({@code #p0}, {@code #a0}),
     * {@code #root.methodName}, {@code #root.target}, {@code #root.args}, beans ({@code @naming.keyOf(#order)}), or a
     * literal ({@code 'nightly'}). Evaluated once for each call.
     *
     * <p>{@code parts(…)} joins several values into one key: {@code key = "parts(#shop, #id)"} locks {@code s1:42}. Colons and
     * backslashes in the values are escaped with a backslash, so that different values never result in the same key; see {@link
     * io.holdfast.lock.api.LockKey#of(String, Object...)}.
     *
     * @return the expression, which must not evaluate to a collection or an array; if empty, the key is the name
     */
    String key() default "";

    /**
     * Several locks, of which either all or none are acquired, as expressions like {@link #key()}: {@code keys = {"#from", "#to"}},
     * {@code keys = "#orders.![id]"}. An expression that evaluates to a collection or an array has a key for each element; an empty
     * one is an error. Equal keys are one lock.
     *
     * @return the expressions; cannot be combined with {@link #key()}
     */
    String[] keys() default {};

    /** {@return whether the lock is held exclusively, or together with other shared holders} */
    LockMode mode() default LockMode.EXCLUSIVE;

    /**
     * How many callers may hold the lock at the same time. Only with {@link LockMode#SHARED}.
     *
     * @return 1 or more; by default {@code holdfast.locks.<name>.limit}, or no limit
     */
    int limit() default -1;

    /**
     * Serves callers strictly in order of arrival, across all instances of the application.
     *
     * @return true for first come, first served; if false, {@code holdfast.locks.<name>.fair} applies
     */
    boolean fair() default false;

    /**
     * How long the lock survives without renewal, in {@link #timeUnit()}; at least 100 ms.
     *
     * @return the lease; default {@code holdfast.lease}
     */
    long lease() default UNSPECIFIED;

    /**
     * How long to wait for the lock, in {@link #timeUnit()}; 0 for a single try, {@link #FOREVER} to wait forever.
     *
     * @return the limit; default {@code holdfast.wait-for}
     */
    long waitFor() default UNSPECIFIED;

    /**
     * Keeps others out for at least this time, in {@link #timeUnit()}, even if the method ends earlier: together with {@link
     * OnContention#SKIP} and {@code waitFor = 0}, a {@code @Scheduled} job that several instances start at about the same time runs
     * once. Such a method cannot reenter a lock that its thread already holds.
     *
     * @return the time from the grant; by default none
     */
    long minHold() default UNSPECIFIED;

    /** {@return the unit of {@link #lease()}, {@link #waitFor()} and {@link #minHold()}} */
    TimeUnit timeUnit() default TimeUnit.SECONDS;

    /**
     * The lease as text with a unit: {@code "10s"}, {@code "PT10S"}, a placeholder {@code "${app.lock.lease}"}, or, as in
     * {@code @Scheduled}, an expression for a bean: {@code "#{@settings.lease}"}. Cannot be combined with {@link #lease()}.
     *
     * @return the lease; unset if the resolved text is empty
     */
    String leaseString() default "";

    /**
     * The time to wait as text; see {@link #leaseString()}. Cannot be combined with {@link #waitFor()}.
     *
     * @return the limit; unset if the resolved text is empty
     */
    String waitForString() default "";

    /**
     * The minimum hold time as text; see {@link #leaseString()}. Cannot be combined with {@link #minHold()}.
     *
     * @return the time; unset if the resolved text is empty
     */
    String minHoldString() default "";

    /**
     * {@return false to make the lease a fixed limit; if true, {@code holdfast.locks.<name>.renew} applies}
     */
    boolean renew() default true;

    /**
     * Whether this call needs the lock, as a SpEL expression with the variables of {@link #key()}. If it evaluates to false,
     * <strong>the method runs without the lock</strong>, and the key is not evaluated.
     *
     * @return an expression that evaluates to true or false; if empty, the lock is always needed
     */
    String condition() default "";

    /** {@return what to do if the lock is not acquired in time and there is no fallback} */
    OnContention onContention() default OnContention.THROW;

    /**
     * A method of the same class that is called instead if the lock is not acquired in time. It runs without the lock, may be
     * private, and has the same parameters, optionally followed by the exception: {@link
     * io.holdfast.lock.api.LockNotAcquiredException} or a supertype. Its return type must be assignable to that of this method.
     *
     * <p>If several methods have that name, the one with the most specific exception is called. A method whose last parameter
     * is exactly {@link io.holdfast.lock.api.LockStoreException} is called if the store fails before the method begins;
     * otherwise that exception is thrown.
     *
     * @return the name of the method; cannot be combined with {@link OnContention#SKIP}
     */
    String fallbackMethod() default "";

    /** {@return what to do if the lock has been lost by the time the method ends} */
    OnLost onLost() default OnLost.THROW;
}
