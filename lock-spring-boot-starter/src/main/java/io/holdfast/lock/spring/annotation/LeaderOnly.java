package io.holdfast.lock.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the method on only one instance of the application: the leader for a role. A call on any other instance returns
 * immediately without running the method, and without a call to Redis.
 *
 * <pre>{@code
 * @Scheduled(fixedDelay = 1000)
 * @LeaderOnly("outbox")
 * void publish() { … }
 * }</pre>
 *
 * <p>The annotation declares the role; its settings are in {@code holdfast.leadership.roles.<role>}. On a class, the
 * annotation applies to all public methods. Calls that do not run return what a skipped call of {@link
 * DistributedLock#onContention() onContention = SKIP} returns: nothing, null, an empty {@code Optional}, or a
 * future completed with null. Methods that return a primitive value, a reactive type, or a Kotlin type that is never null cause
 * startup to fail.
 *
 * <p>Leadership is checked when the call starts. A call that is running when the term ends continues: check {@code
 * Leadership.isLeader()} between steps, and check the fencing token of the term where something must never happen twice.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

    /**
     * The role that the instance must lead. May contain placeholders, and expressions for beans: {@code #{@settings.role}}.
     *
     * @return the name of the role
     */
    String value();
}
