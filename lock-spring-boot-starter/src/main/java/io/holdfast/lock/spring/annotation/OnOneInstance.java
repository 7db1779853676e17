package io.holdfast.lock.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a job on one of several instances: once for each fire time of its {@code @Scheduled}, on whichever instance comes first. On all
 * others the call is skipped.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
 * @OnOneInstance(name = "report")
 * public void report() { … }
 * }</pre>
 *
 * <p>What was run is recorded with the lock, so it does not matter by how much the clocks of the instances differ (up to half a period, and
 * a minute), whether a scheduler was busy, or how long the job takes. The ticks of a {@code fixedRate} are the multiples of its period
 * since 1970, so they are the same everywhere; a {@code fixedDelay} counts from the end of the last run on any instance. If the instance of
 * a run dies, another one begins it again within its lease plus one second, unless the next fire time comes first. {@link
 * io.holdfast.lock.spring.jobs.Jobs} has the last runs, and pauses jobs.
 *
 * <p>Any call of the method counts as one by the scheduler, also that of a controller or a test: it is skipped unless a fire time is due.
 * To run the work at other times, move it to a method of its own. Without {@code @EnableScheduling}, an instance runs jobs only if
 * something calls them: it neither takes over nor catches up.
 *
 * <p>A method without {@code @Scheduled}, or with one for a single run; one that returns a stage, a future, or a publisher; one with a
 * second lock annotation; and any on a quorum, needs a {@link #minHold()}, and keeps others out for that time. At startup, the log says
 * which of the two applies.
 *
 * <p>Jobs that must not run at the same time have different names, and acquire a common lock inside. While one waits for it, its own
 * run is in progress.
 *
 * <p>Shorthand for {@link DistributedLock} with a single try and {@link OnContention#SKIP}. The method must return void, or a type that can
 * be empty or null.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(waitFor = 0, onContention = OnContention.SKIP)
public @interface OnOneInstance {

    /**
     * {@return the name of the job, which is its key; see {@link DistributedLock#name()}} It is unique among all applications that share a
     * Redis and a key prefix.
     */
    @AliasFor(annotation = DistributedLock.class)
    String name();

    /**
     * Makes one job of several, each with its own runs: {@code key = "@region.name"}.
     *
     * @return an expression, see {@link DistributedLock#key()}; if empty, the key is the name
     */
    @AliasFor(annotation = DistributedLock.class)
    String key() default "";

    /**
     * Only for a method without fire times: the minimum time for which other instances are kept out, counted from the start of the job.
     * More than the possible difference between the times at which instances call it, and less than the time until the next run.
     *
     * @return text with a unit, {@code "10m"}, a placeholder or an expression for a bean; see {@link DistributedLock#minHoldString()}
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "minHoldString")
    String minHold() default "";

    /**
     * How long the lock survives without renewal: within that time plus one second, another instance takes over from one that has died.
     *
     * @return text with a unit; default {@code holdfast.lease}; see {@link DistributedLock#leaseString()}
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "leaseString")
    String lease() default "";

    /**
     * How often a run that throws an exception is tried for one fire time, on any instance, unless the next fire time comes first. Deaths
     * of instances do not count.
     *
     * @return 1 or more
     */
    int attempts() default 1;

    /**
     * The time from a failure to the next attempt. The instance that has failed waits for another lease, or half of the time to the next fire
     * time if that is less, and at most a minute, so that another one tries first.
     *
     * @return text with a unit, a placeholder or an expression for a bean
     */
    String retryAfter() default "10s";

    /**
     * How old a fire time may be that an instance runs when it starts, if nobody has: the latest one, once.
     *
     * @return text with a unit, {@code "6h"}, a placeholder or an expression for a bean; at most {@code holdfast.jobs.keep}; by default
     *     none is caught up
     */
    String catchUp() default "";
}
