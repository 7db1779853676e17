package io.holdfast.lock.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a job on only one instance if several instances start it at about the same time; on all other instances the call is skipped.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 2 * * *")
 * @OnOneInstance(name = "report", minHold = "10m")
 * public void report() { … }
 * }</pre>
 *
 * <p>Shorthand for {@link DistributedLock} with a single try, a minimum hold and {@link OnContention#SKIP}. The method must
 * return void, or a type that can be empty or null.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(waitFor = 0, onContention = OnContention.SKIP)
public @interface OnOneInstance {

    /** {@return the name of the job, which is its key; see {@link DistributedLock#name()}} */
    @AliasFor(annotation = DistributedLock.class)
    String name();

    /**
     * The minimum time for which other instances are kept out, counted from the start of the job: more than the possible
     * difference between the clocks of the instances, and less than the time until the next run. With a fixed rate or delay, use
     * slightly less than the period, because each instance counts its periods from its own start.
     *
     * @return text with a unit, {@code "10m"}, a placeholder or an expression for a bean; see {@link DistributedLock#minHoldString()}
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "minHoldString")
    String minHold();
}
