package io.holdfast.lock.spring.annotation;

import io.holdfast.lock.api.LockMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs the method with a permit of a semaphore: for each key, a limited number of callers at a time across all instances.
 *
 * <pre>{@code
 * @DistributedSemaphore(name = "mail-gateway", permits = 5)
 * public void send(Mail mail) { … }
 * }</pre>
 *
 * <p>Shorthand for {@link DistributedLock} with {@link LockMode#SHARED} and a limit; see that annotation for its attributes, including
 * those that this annotation does not have.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@DistributedLock(mode = LockMode.SHARED)
public @interface DistributedSemaphore {

    /** {@return see {@link DistributedLock#name()}} */
    @AliasFor(annotation = DistributedLock.class)
    String name() default "";

    /** {@return see {@link DistributedLock#key()}} */
    @AliasFor(annotation = DistributedLock.class)
    String key() default "";

    /** {@return see {@link DistributedLock#keys()}} */
    @AliasFor(annotation = DistributedLock.class)
    String[] keys() default {};

    /**
     * The number of permits: how many callers may run at a time, if each acquires one.
     *
     * @return 1 or more, and the same for all methods that use the key; default {@code holdfast.locks.<name>.limit}. If neither
     *     is set, startup fails.
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "limit")
    int permits() default -1;

    /** {@return see {@link DistributedLock#fair()}} */
    @AliasFor(annotation = DistributedLock.class)
    boolean fair() default false;

    /** {@return see {@link DistributedLock#lease()}} */
    @AliasFor(annotation = DistributedLock.class)
    long lease() default DistributedLock.UNSPECIFIED;

    /** {@return see {@link DistributedLock#waitFor()}} */
    @AliasFor(annotation = DistributedLock.class)
    long waitFor() default DistributedLock.UNSPECIFIED;

    /** {@return see {@link DistributedLock#leaseString()}} */
    @AliasFor(annotation = DistributedLock.class)
    String leaseString() default "";

    /** {@return see {@link DistributedLock#waitForString()}} */
    @AliasFor(annotation = DistributedLock.class)
    String waitForString() default "";

    /** {@return see {@link DistributedLock#condition()}} */
    @AliasFor(annotation = DistributedLock.class)
    String condition() default "";

    /** {@return see {@link DistributedLock#onContention()}} */
    @AliasFor(annotation = DistributedLock.class)
    OnContention onContention() default OnContention.THROW;

    /** {@return see {@link DistributedLock#fallbackMethod()}} */
    @AliasFor(annotation = DistributedLock.class)
    String fallbackMethod() default "";
}
