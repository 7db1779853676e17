package io.holdfast.lock.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the method on one instance of the application only: the leader in a role. A call on another instance does nothing, without
 * waiting and without a call to Redis.
 *
 * <pre>{@code
 * @Scheduled(fixedDelay = 1000)
 * @LeaderOnly("outbox")
 * void publish() { … }
 * }</pre>
 *
 * <p>The role is declared by this annotation; {@code holdfast.leadership.roles.<role>} has its settings. On a class, the annotation
 * means all of its public methods. Calls that do not run return what a skipped call of
 * {@link DistributedLock#onContention() onContention = SKIP} returns: nothing, null, an empty {@code Optional}, or a future of null.
 * Methods that return a primitive value, a reactive type, or a Kotlin type that is never null fail the start.
 *
 * <p>Whether this instance leads is checked when the call begins. A call that is under way when the term ends goes on: check
 * {@code Leadership.isLeader()} between steps, and the fencing token of its term where something must never happen twice.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

    /**
     * What the instance has to lead. May contain placeholders.
     *
     * @return the role
     */
    String value();
}
