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
 * Runs the method under a write lock: for each key, one writer at a time and no readers. The corresponding read lock is {@link
 * DistributedReadLock} with the same name and key. A thread that holds the write lock may acquire the read lock, but not vice
 * versa.
 *
 * <p>Shorthand for {@link DistributedLock} with {@link LockMode#EXCLUSIVE}; see that annotation for its attributes, including those that
 * this annotation does not have.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@DistributedLock(mode = LockMode.EXCLUSIVE)
public @interface DistributedWriteLock {

    /** {@return see {@link DistributedLock#name()}} */
    @AliasFor(annotation = DistributedLock.class)
    String name() default "";

    /** {@return see {@link DistributedLock#key()}} */
    @AliasFor(annotation = DistributedLock.class)
    String key() default "";

    /** {@return see {@link DistributedLock#keys()}} */
    @AliasFor(annotation = DistributedLock.class)
    String[] keys() default {};

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
