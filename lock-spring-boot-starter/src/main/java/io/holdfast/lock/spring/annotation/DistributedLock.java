package io.holdfast.lock.spring.annotation;

import io.holdfast.lock.api.LockMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
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
 * the method runs, also when a lease is given, unless {@code renew} or {@code holdfast.renew} is false. A thread that holds
 * the key already enters again without asking Redis.
 *
 * <p>A method that returns a stage, a future or a publisher (Reactor's, or what Spring can adapt to it) holds its lock until
 * that is complete, failed or cancelled, and the caller sees the end after the release; a lost lock ends it with
 * {@link io.holdfast.lock.api.LockLostException}. For a publisher the lock is acquired at each subscription, and no event
 * loop waits for a lock. A {@code suspend} function of Kotlin is locked as a method that returns a {@code Mono}.
 *
 * <p>On a class, the annotation means all its public methods, but not the one named by {@link #fallbackMethod()}; one on a
 * method takes its place. It may be a part of another annotation, which hands on attributes by
 * {@link org.springframework.core.annotation.AliasFor}.
 *
 * <p>Several of them on one method, or on one class, are several locks, all or none, each in its own mode:
 *
 * <pre>{@code
 * @DistributedReadLock(name = "price-list")
 * @DistributedLock(name = "order", key = "#order.id", waitFor = 2)
 * public Receipt pay(Order order) { … }
 * }</pre>
 *
 * <p>Each says its own name, key, mode, limit, weight and fairness. All other attributes concern the call, so only one of them
 * may set any; settings and metrics go by its name, or by that of the first one if none does.
 *
 * <p>What it does not say is taken from {@code holdfast.instances.<name>.*} of its {@link #name()}, and what these do not say
 * from {@code holdfast.*}. Beans of type {@link LockRequestCustomizer} have the last word. Placeholders {@code ${…}} are
 * replaced at startup in all texts.
 *
 * <p>The method is called through a Spring proxy, so a call of an annotated method of the same object is not locked;
 * {@link LockAssert} finds such calls. Methods that no proxy can lock (private, static, final) fail startup.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

    /** Stands for a time that is not given; for attributes of annotations that this one is a part of. */
    long NOT_GIVEN = Long.MIN_VALUE;

    /** A {@link #waitFor()} that does not end, but after 365 days. */
    long WITHOUT_LIMIT = Long.MAX_VALUE;

    /**
     * The name of this definition and, if given, the first part of the key: {@code name = "order", key = "#order.id"}
     * locks {@code order:42}. Settings under {@code holdfast.instances.<name>} and metrics go by it; without one, by the class
     * and method: {@code Orders.pay}.
     *
     * @return the name, without a colon, which ends it in the key; without one the key stands alone
     */
    String name() default "";

    /**
     * What to lock, as a SpEL expression: parameters by name ({@code #order.id}) or position ({@code #p0}, {@code #a0}),
     * {@code #root.methodName}, {@code #root.target}, {@code #root.args}, beans ({@code @naming.keyOf(#order)}), or a
     * literal ({@code 'nightly'}). Evaluated once for each call.
     *
     * <p>A collection or an array is several keys, all or none: a multi-lock. An empty one is an error.
     *
     * <p>Several expressions are parts of one key, joined by colons: {@code key = {"#shop", "#id"}} locks {@code s1:42}.
     * Colons and backslashes inside them are escaped by a backslash, so that two different lists of parts are never the
     * same key.
     *
     * @return the expression, or those of the parts; may be left out if there is a name, which is then the key
     */
    String[] key() default {};

    /** {@return whether the lock is held alone, or together with other shared holders} */
    LockMode mode() default LockMode.EXCLUSIVE;

    /**
     * How many may hold the lock together, with {@link LockMode#SHARED} only.
     *
     * @return 1 or more; if not given, any number, unless {@code holdfast.instances.<name>.limit} says how many
     */
    int limit() default -1;

    /**
     * How many of the {@link #limit()} one call takes, with {@link LockMode#SHARED} and a limit only: permits of a semaphore.
     *
     * @return 1 to the limit
     */
    int weight() default 1;

    /**
     * Serves callers strictly in order of arrival, over all instances of the application.
     *
     * @return true for first come, first served; false leaves it to {@code holdfast.instances.<name>.fair}
     */
    boolean fair() default false;

    /**
     * How long the lock survives without renewal, in {@link #timeUnit()}; at least 100 ms.
     *
     * @return the lease; the client's default ({@code holdfast.lease}) if not given
     */
    long lease() default NOT_GIVEN;

    /**
     * How long to wait for the lock, in {@link #timeUnit()}; 0 is one try, {@link #WITHOUT_LIMIT} is for ever.
     *
     * @return the limit; the client's default ({@code holdfast.wait-for}) if not given
     */
    long waitFor() default NOT_GIVEN;

    /**
     * How many calls of this instance of the application may wait for one key, this call included. One more fails at once with a
     * {@link io.holdfast.lock.api.LockOverloadException}, instead of making the line longer: load is shed. Calls that find the
     * lock free are never refused.
     *
     * @return 1 or more; if not given, any number, unless {@code holdfast.instances.<name>.max-waiting} says how many
     */
    int maxWaiting() default -1;

    /**
     * Keeps others out for at least this time, in {@link #timeUnit()}, also when the method is through earlier: a
     * {@code @Scheduled} job that several nodes start at about the same time runs once, together with
     * {@link OnContention#SKIP} and {@code waitFor = 0}. Such a method cannot enter a lock that its thread holds already.
     *
     * @return the time, counted from the grant; none if not given
     */
    long minHold() default NOT_GIVEN;

    /**
     * Ends renewal after this time, in {@link #timeUnit()}; at least 100 ms. The lease then runs out, also while the method
     * still runs.
     *
     * @return the time, counted from the grant; the client's default ({@code holdfast.max-hold}) if not given
     */
    long maxHold() default NOT_GIVEN;

    /** {@return the unit of {@link #lease()}, {@link #waitFor()}, {@link #minHold()} and {@link #maxHold()}} */
    TimeUnit timeUnit() default TimeUnit.SECONDS;

    /**
     * The lease as text: {@code "10s"}, {@code "PT10S"}, or a placeholder {@code "${app.lock.lease}"}, always
     * with its unit. Not together with {@link #lease()}.
     *
     * <p>A text that begins with a parameter or a bean is a SpEL expression, with the same variables as {@link #key()}, which
     * each call evaluates: {@code "#order.lease"}, {@code "@policy.leaseOf(#order)"}. It yields a {@link java.time.Duration}, a text
     * with its unit, or a whole number of {@link #timeUnit()}; null is a time that is not given.
     *
     * @return the lease; not given if empty, also after placeholders were replaced
     */
    String leaseString() default "";

    /**
     * The waiting limit as text, see {@link #leaseString()}. Not together with {@link #waitFor()}.
     *
     * @return the limit; not given if empty, also after placeholders were replaced
     */
    String waitForString() default "";

    /**
     * The minimum time as text, see {@link #leaseString()}. Not together with {@link #minHold()}.
     *
     * @return the time; not given if empty, also after placeholders were replaced
     */
    String minHoldString() default "";

    /**
     * The end of renewal as text, see {@link #leaseString()}. Not together with {@link #maxHold()}.
     *
     * @return the time; not given if empty, also after placeholders were replaced
     */
    String maxHoldString() default "";

    /**
     * {@return false makes the lease a fixed time limit; true leaves it to {@code holdfast.instances.<name>.renew} and
     * {@code holdfast.renew}}
     */
    boolean renew() default true;

    /**
     * Whether this call needs the lock, as a SpEL expression with the same variables as {@link #key()}. If it yields false,
     * <strong>the method runs without the lock</strong>, and the key is not evaluated.
     *
     * @return an expression that yields true or false; always if empty
     */
    String condition() default "";

    /** {@return what to do when the lock is not free in time and there is no fallback} */
    OnContention onContention() default OnContention.THROW;

    /**
     * A method of the same class that takes the place of this one when the lock is not free in time. It runs without the
     * lock, may be private, and has the same parameters, or these and one more for the exception:
     * {@link io.holdfast.lock.api.LockNotAcquiredException} or a supertype of it. Its result fits that of this method.
     *
     * <p>Of several methods with that name, the one with the most specific exception is called. One whose last parameter is
     * {@link io.holdfast.lock.api.LockStoreException}, exactly, is called when the store fails before the method begins;
     * without such a one that exception is thrown.
     *
     * @return the name of the method; not together with {@link OnContention#SKIP}
     */
    String fallbackMethod() default "";

    /** {@return what to do when the method has ended and its lock was lost meanwhile} */
    OnLost onLost() default OnLost.THROW;
}
